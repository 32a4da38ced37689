//! What the control API answers, as plain values: no generated type leaves this crate.

mod completion;
mod diagnostic;
mod entity;
mod event;
mod script;
pub(crate) mod upload;

pub use self::{
    completion::{Candidate, Completion},
    diagnostic::{Diagnostic, Label, Severity, Span},
    entity::{ClusterStatus, Description, Entity, Node, NodeState, Property},
    event::{Event, EventStream},
    script::{ChangeClass, ScriptReply, StatementReply, StatementStatus, Table},
    upload::UploadReply,
};
