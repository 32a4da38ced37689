//! `SQS <client> QUEUE <queue> [FIFO GROUP (FROM BRANCH | <expr>)]` (emitters.txt "SQS").

use crate::expression::Expr;
use crate::name::{ExternalName, Name};
use crate::span::Span;

/// The SQS destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SqsSink {
    /// The client.
    pub client: Name,
    /// The queue that is written.
    pub queue: ExternalName,
    /// The ordering group of a FIFO queue.
    pub group: Option<FifoGroup>,
}

/// The FIFO GROUP clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FifoGroup {
    /// Where the group comes from.
    pub kind: FifoGroupKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of FIFO GROUP.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FifoGroupKind {
    /// `FROM BRANCH`
    Branch,
    /// An expression over the input row.
    Expression(Expr),
}
