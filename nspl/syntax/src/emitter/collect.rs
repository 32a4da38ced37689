//! `COLLECT FOR <duration> [MAX BATCH SIZE <bytes>]`: the input collection of an emitter.

use crate::grammar::{Rule, located, phrase};
use crate::printer::{Print, Printer, display};
use crate::quantity::{Duration, Size, duration, size};
use crate::span::Span;
use chumsky::prelude::Parser;

/// The COLLECT clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Collect {
    /// The domain time one collection lasts.
    pub each: Duration,
    /// The logical Arrow bytes that end a collection early.
    pub max_batch_size: Option<Size>,
    /// Where the clause stands.
    pub span: Span,
}

pub(crate) fn rule<'t>() -> Rule<'t, Collect> {
    let bound = phrase("MAX BATCH SIZE").ignore_then(size()).or_not();
    let parts = phrase("COLLECT FOR").ignore_then(duration()).then(bound);
    located(parts, |(each, max_batch_size), span| Collect {
        each,
        max_batch_size,
        span,
    })
}

impl Print for Collect {
    fn print(&self, printer: &mut Printer) {
        printer.put("COLLECT FOR ").node(&self.each);
        if let Some(bound) = &self.max_batch_size {
            printer.put(" MAX BATCH SIZE ").node(bound);
        }
    }
}

display!(Collect);
