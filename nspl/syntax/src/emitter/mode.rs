//! `MODE ... [ACK TIMEOUT d] RETRY POLICY BACKOFF d MAX d` (emitters.txt "Publishing modes", companion section 7).
//!
//! One grammar for every sink; which forms a sink has, and which need ACK TIMEOUT, are rules of the checker over
//! the sink's capabilities.

use crate::grammar::{Rule, choice_of, keyword, located, phrase};
use crate::printer::{Print, Printer, display};
use crate::quantity::{Duration, Whole, duration, whole};
use crate::span::Span;
use chumsky::prelude::{Parser, choice};

/// The MODE of an emitter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// When a record counts as published.
    pub confirmation: Confirmation,
    /// The bound on one confirmation.
    pub ack_timeout: Option<Duration>,
    /// The pace of retries.
    pub retry: Retry,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms before ACK TIMEOUT and RETRY POLICY.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Confirmation {
    /// `NO_ACK`
    NoAck,
    /// `ACK`, or `ACK SEQUENTIAL`, or `ACK PARALLEL MAX n`
    Ack(Option<Window>),
    /// `QOS 0`, or `QOS 1 ACK ...`, or `QOS 2 ACK ...`
    Qos {
        /// The level as written.
        level: Whole,
        /// The window behind ACK; none without ACK.
        window: Option<Window>,
    },
    /// `JETSTREAM ACK ...`
    JetStream(Window),
    /// `SINGLE`
    Single,
    /// `BATCH`
    Batch,
}

/// How many records may await confirmation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// `SEQUENTIAL`: one.
    Sequential,
    /// `PARALLEL MAX n`
    Parallel {
        /// The most that wait.
        max: Whole,
    },
}

/// `RETRY POLICY BACKOFF d MAX d`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Retry {
    /// The first delay.
    pub backoff: Duration,
    /// The longest delay.
    pub max: Duration,
    /// Where the clause stands.
    pub span: Span,
}

/// `MODE <body>`
pub(crate) fn rule<'t>() -> Rule<'t, Mode> {
    let timeout = phrase("ACK TIMEOUT").ignore_then(duration()).or_not();
    let parts = keyword("MODE")
        .ignore_then(confirmation())
        .then(timeout)
        .then(retry());
    located(parts, |((confirmation, ack_timeout), retry), span| Mode {
        confirmation,
        ack_timeout,
        retry,
        span,
    })
}

fn confirmation<'t>() -> Rule<'t, Confirmation> {
    let ack = keyword("ACK").ignore_then(window().or_not());
    let level = keyword("QOS").ignore_then(whole());
    let qos = level.then(keyword("ACK").ignore_then(window()).or_not());
    choice((
        choice_of("NO_ACK", ()).map(|()| Confirmation::NoAck).boxed(),
        ack.map(Confirmation::Ack).boxed(),
        qos.map(|(level, window)| Confirmation::Qos { level, window })
            .boxed(),
        phrase("JETSTREAM ACK")
            .ignore_then(window())
            .map(Confirmation::JetStream)
            .boxed(),
        choice_of("SINGLE", ()).map(|()| Confirmation::Single).boxed(),
        choice_of("BATCH", ()).map(|()| Confirmation::Batch).boxed(),
    ))
    .boxed()
}

/// `SEQUENTIAL | PARALLEL MAX n`
pub(crate) fn window<'t>() -> Rule<'t, Window> {
    let sequential = keyword("SEQUENTIAL").map(|_| Window::Sequential).boxed();
    let parallel = phrase("PARALLEL MAX")
        .ignore_then(whole())
        .map(|max| Window::Parallel { max })
        .boxed();
    choice((sequential, parallel)).boxed()
}

fn retry<'t>() -> Rule<'t, Retry> {
    let parts = phrase("RETRY POLICY BACKOFF")
        .ignore_then(duration())
        .then_ignore(keyword("MAX"))
        .then(duration());
    located(parts, |(backoff, max), span| Retry { backoff, max, span })
}

impl Print for Window {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Sequential => printer.put("SEQUENTIAL"),
            Self::Parallel { max } => printer.put("PARALLEL MAX ").node(max),
        };
    }
}

impl Print for Confirmation {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::NoAck => printer.put("NO_ACK"),
            Self::Ack(None) => printer.put("ACK"),
            Self::Ack(Some(window)) => printer.put("ACK ").node(window),
            Self::Qos { level, window: None } => printer.put("QOS ").node(level),
            Self::Qos {
                level,
                window: Some(window),
            } => printer.put("QOS ").node(level).put(" ACK ").node(window),
            Self::JetStream(window) => printer.put("JETSTREAM ACK ").node(window),
            Self::Single => printer.put("SINGLE"),
            Self::Batch => printer.put("BATCH"),
        };
    }
}

/// The body of the clause, without the word MODE: what DESCRIBE shows.
impl Print for Mode {
    fn print(&self, printer: &mut Printer) {
        printer.node(&self.confirmation);
        if let Some(timeout) = &self.ack_timeout {
            printer.put(" ACK TIMEOUT ").node(timeout);
        }
        printer
            .put(" RETRY POLICY BACKOFF ")
            .node(&self.retry.backoff)
            .put(" MAX ")
            .node(&self.retry.max);
    }
}

display!(Window, Confirmation, Mode);
