//! The facade of NSPL: format, check, complete, render.
//!
//! The planes and the command line see the language through this crate alone. It adds nothing to the judgement of
//! `nspl-check`; it turns text into reports, and reports into text for people and for programs.

mod bounds;
mod complete;
mod definition;
mod folders;
mod json;
mod listing;
mod part;
mod render;
mod report;
mod sequence;
mod shown;
mod table;
mod text;

pub use nspl_check::{
    Action, Catalog, Cause, Change, ChangeClass, Diagnostic, Difference, DifferenceKind, Entity, FileMap,
    Label, NodeVerb, Outcome, Plan, PlannedStep, Read, ResourceFiles, Resources, Settings, Severity,
    Snapshot, StartAt, Transaction, Verb,
};
pub use nspl_check::{EXAMPLE_CATALOG, EXISTING_DIFFERS, MATERIALIZED_STATE, RULES, Rule, nearest};
pub use nspl_check::{Needs, needs, release_kinds};
pub use nspl_model as model;
pub use nspl_syntax::fault::code::ALL as SYNTAX_CODES;
pub use nspl_syntax::limits::SCRIPT_BYTES_MAX;
pub use nspl_syntax::{Lexeme, LexemeKind, lexemes};

/// The code of the warning that IF NOT EXISTS names something that says something else.
pub const ALREADY_DIFFERS: &str = EXISTING_DIFFERS.code;

pub use bounds::DIAGNOSTICS_MAX;
pub use complete::{
    CANDIDATES_MAX, COMPLETION_TEXT_BYTES_MAX, Candidate, CandidateKind, Completion, Known, complete,
};
pub use definition::{DefinitionError, definition, restore};
pub use folders::Folders;
pub use json::json_line;
pub use listing::Listing;
pub use part::{Part, parts};
pub use render::{Colour, render};
pub use report::{Report, check, check_while, check_with};
pub use sequence::{Sequence, folder_faults};
pub use table::aligned;
pub use text::{format, masked, may_hold_secret, message_error_text, request_texts, source_texts};

#[cfg(test)]
mod tests;
