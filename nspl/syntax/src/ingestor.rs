//! Ingestors: the ways in (companion section 8, rulings section 3).
//!
//! `INGESTOR i FROM CLIENT SCHEMA s [FILTER WHERE e] MODE ... TO r ... [TO ...]* ON GENERAL ERROR ...` and the Kafka
//! form, where `DECODE USING c` and then `FILTER WHERE e` follow MODE.

use crate::assignment::Assignment;
use crate::construction::Construction;
use crate::emitter::mode::Window;
use crate::error_policy::{GeneralPolicy, MessagePolicy};
use crate::expression::Expr;
use crate::flush::Flush;
use crate::name::{ExternalName, Name};
use crate::quantity::Whole;
use crate::span::Span;

/// An ingestor definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ingestor {
    /// The name of the ingestor.
    pub name: Name,
    /// Where its records come from.
    pub source: IngestorSource,
    /// When an incoming record counts as taken.
    pub mode: IngestorMode,
    /// The codec of DECODE USING; always there for Kafka, never for CLIENT.
    pub codec: Option<Name>,
    /// The FILTER WHERE predicate.
    pub filter: Option<Expr>,
    /// Its routes in written order, at least one.
    pub routes: Vec<Route>,
    /// What happens to failures that belong to no record.
    pub on_general_error: GeneralPolicy,
}

/// Where an ingestor's records come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IngestorSource {
    /// `CLIENT SCHEMA s`: applications write through Arrow Flight.
    Client {
        /// The schema of the written records.
        schema: Name,
    },
    /// `KAFKA c TOPIC t OFFSET BY CONSUMER GROUP g [INSTANCES n]`
    Kafka {
        /// The client.
        client: Name,
        /// The topic.
        topic: ExternalName,
        /// The consumer group that holds the offsets.
        group: ExternalName,
        /// How many consumers read it.
        instances: Option<Whole>,
    },
}

/// The MODE of an ingestor. It has no retry policy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IngestorMode {
    /// Which mode.
    pub kind: IngestorModeKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of an ingestor's MODE.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IngestorModeKind {
    /// `ACK`
    Ack,
    /// `ACK SEQUENTIAL` or `ACK PARALLEL MAX n`
    AckWindow(Window),
    /// `NO_ACK`
    NoAck,
}

/// `TO r <construction> UNBRANCHED | BRANCHED BY b SET k = e, ... FLUSH ... ON MESSAGE ERROR ...`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// The relay the route writes.
    pub relay: Name,
    /// How its records are built.
    pub construction: Construction,
    /// The branch of its records.
    pub branching: Branching,
    /// When collected records enter the relay.
    pub flush: Flush,
    /// What happens to a record that fails on this route.
    pub on_message_error: MessagePolicy,
    /// Where the route stands.
    pub span: Span,
}

/// How a route assigns branches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branching {
    /// The branch and its keys; none when UNBRANCHED.
    pub branched_by: Option<BranchedBy>,
    /// Where the clause stands.
    pub span: Span,
}

/// `BRANCHED BY b SET k = e, ...`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BranchedBy {
    /// The branch.
    pub branch: Name,
    /// The key fields in written order, at least one.
    pub keys: Vec<Assignment>,
}
