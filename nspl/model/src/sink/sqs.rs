//! `TO SQS c QUEUE q [FIFO GROUP ...]`: one SQS message a payload (emitters.txt "SQS").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, Expr, HeaderForm, HeaderRule, ModeForm, ModeRule, SinkKind, sqs};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Debug)]
pub struct SqsSinkDef {
    /// How to reach the service.
    pub client: Arc<ClientDef>,
    /// The name of the queue that is written.
    pub queue: String,
    /// The message group; there exactly when the queue is a FIFO one.
    pub group: Option<OrderingGroup>,
}

/// Where the ordering group of a record comes from (FIFO GROUP).
#[derive(Clone, PartialEq, Debug)]
pub enum OrderingGroup {
    /// FROM BRANCH: the branch key, as rulings section 9 "Keys on the wire" writes it; every source is branched.
    Branch,
    /// Exact, non-null STRING over the input row, after the source's WHERE.
    Expression(Expr),
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    batch_bytes_max: Some(sqs::MESSAGE_BYTES_MAX),
    headers: HeaderRule::LastWins,
    header_form: HeaderForm::SqsAttribute,
    ..Capabilities::payload(
        SinkKind::Sqs,
        &[
            ModeRule::plain(ModeForm::Single),
            ModeRule::plain(ModeForm::Batch),
        ],
    )
};
