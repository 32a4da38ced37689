//! From a syntax tree and a catalog to definitions, or to all diagnostics.
//!
//! A script is judged as a whole: every fault is reported, in source order, each once, and what follows from a fault
//! is not reported again. Judging reads an immutable [`Catalog`] and answers with the candidate that a commit would
//! make; nothing here stores, schedules or executes.

mod article;
mod candidate;
mod catalog;
mod change;
mod constant;
mod data_type;
mod descriptors;
mod diagnostic;
mod expression;
mod kinds;
mod nearest;
mod plan;
mod quantity;
mod resolve;
mod resources;
mod restore;
mod rule;
mod rules;
mod script;
mod settings;
mod stored;
mod world;

pub use catalog::{Catalog, Difference, DifferenceKind, Entity};
pub use change::{Cause, Change, ChangeClass};
pub use constant::constant_value;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use kinds::{Needs, needs, release_kinds};
pub use nearest::nearest;
pub use plan::{Action, NodeVerb, Outcome, Plan, PlannedStep, Read, StartAt, Transaction, Verb};
pub use resources::{FileMap, ResourceFiles, Resources};
pub use restore::{RestoreError, definition, restore};
pub use rule::Rule;
pub use rules::existing_differs::RULE as EXISTING_DIFFERS;
pub use rules::protobuf_files::RULE as PROTOBUF_FILES;
pub use rules::protobuf_message::RULE as PROTOBUF_MESSAGE;
pub use rules::{EXAMPLE_CATALOG, RULES};
pub use script::{Checked, Snapshot, check_script, check_script_while};
pub use settings::{MATERIALIZED_STATE, Settings};
