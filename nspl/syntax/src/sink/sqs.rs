//! `SQS <client> QUEUE <queue> [FIFO GROUP (FROM BRANCH | <expr>)]` (emitters.txt "SQS").

use crate::expression::Expr;
use crate::grammar::{Rule, external_name, keyword, located, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use crate::span::Span;
use chumsky::prelude::{Parser, choice};

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

pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, SqsSink> {
    let client = keyword("SQS").ignore_then(name("a client name"));
    let queue = keyword("QUEUE").ignore_then(external_name("a queue"));
    let branch = phrase("FROM BRANCH").map(|_| FifoGroupKind::Branch).boxed();
    let computed = expression.clone().map(FifoGroupKind::Expression).boxed();
    let group = phrase("FIFO GROUP").ignore_then(choice((branch, computed)));
    let group = located(group, |kind, span| FifoGroup { kind, span });
    let parts = client.then(queue).then(group.or_not());
    parts
        .map(|((client, queue), group)| SqsSink { client, queue, group })
        .boxed()
}

impl Print for SqsSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("SQS ")
            .node(&self.client)
            .put(" QUEUE ")
            .node(&self.queue);
        if let Some(group) = &self.group {
            printer.put(" ").node(group);
        }
    }
}

impl Print for FifoGroup {
    fn print(&self, printer: &mut Printer) {
        match &self.kind {
            FifoGroupKind::Branch => printer.put("FIFO GROUP FROM BRANCH"),
            FifoGroupKind::Expression(group) => printer.put("FIFO GROUP ").node(group),
        };
    }
}
