//! A rule of the language: its code, what it demands, and an example of each side, which run as tests.

use std::ops::Range;

use nspl_syntax::Span;

use crate::Diagnostic;

/// One rule. The examples are scripts for the session's domain `d` of the catalog that [`crate::EXAMPLE_CATALOG`] makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// `E1xxx` or `W1xxx`.
    pub code: &'static str,
    /// What is demanded, as one sentence.
    pub title: &'static str,
    /// A script that this rule alone refuses (or warns about), once.
    pub fails: &'static str,
    /// The same script, corrected.
    pub passes: &'static str,
}

impl Rule {
    /// A diagnostic of this rule.
    pub(crate) fn fault(&self, place: impl Extent, message: impl Into<String>) -> Diagnostic {
        match self.code.starts_with('W') {
            true => Diagnostic::warning(self.code, place.bytes(), message),
            false => Diagnostic::error(self.code, place.bytes(), message),
        }
    }
}

/// A place in a script.
pub(crate) trait Extent {
    /// Its bytes.
    fn bytes(self) -> Range<usize>;
}

impl Extent for Span {
    fn bytes(self) -> Range<usize> {
        self.range()
    }
}

impl Extent for Range<usize> {
    fn bytes(self) -> Range<usize> {
        self
    }
}

/// An emitter of the examples' catalog, from its route construction.
macro_rules! emitter_example {
    ($construction:expr) => {
        concat!(
            "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment ",
            "MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s ",
            $construction,
            " BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;"
        )
    };
}

/// An emitter of the examples' catalog that encodes, from its sink with its MODE and body, and what follows it before
/// FLUSH.
macro_rules! sink_example {
    ($sink:expr, $rest:expr) => {
        concat!(
            "CREATE EMITTER e FROM events TO ",
            $sink,
            " ",
            $rest,
            " FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;"
        )
    };
}

/// A direct emitter of the examples' catalog, from its sink before MODE, and what follows that before FLUSH.
macro_rules! direct_example {
    ($sink:expr, $rest:expr) => {
        crate::rule::sink_example!(
            concat!($sink, " MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s"),
            $rest
        )
    };
}

pub(crate) use {direct_example, emitter_example, sink_example};
