//! `BATCH MAX MESSAGES <n> MAX SIZE <bytes>` (emitters.txt "Batching").

use crate::grammar::{Rule, located, phrase};
use crate::printer::{Print, Printer, display};
use crate::quantity::{Size, Whole, size, whole};
use crate::span::Span;
use chumsky::prelude::Parser;

/// The BATCH clause: two hard limits of every published batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    /// The most source records.
    pub max_messages: Whole,
    /// The most encoded bytes.
    pub max_size: Size,
    /// Where the clause stands.
    pub span: Span,
}

pub(crate) fn rule<'t>() -> Rule<'t, Batch> {
    let messages = phrase("BATCH MAX MESSAGES").ignore_then(whole());
    let parts = messages.then_ignore(phrase("MAX SIZE")).then(size());
    located(parts, |(max_messages, max_size), span| Batch {
        max_messages,
        max_size,
        span,
    })
}

impl Print for Batch {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("BATCH MAX MESSAGES ")
            .node(&self.max_messages)
            .put(" MAX SIZE ")
            .node(&self.max_size);
    }
}

display!(Batch);
