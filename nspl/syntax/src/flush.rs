//! `FLUSH EACH <duration> MAX BATCH SIZE <bytes>` and `FLUSH IMMEDIATE` (companion section 11).

use crate::grammar::{Rule, keyword, located, phrase};
use crate::printer::{Print, Printer, display};
use crate::quantity::{Duration, Size, duration, size};
use crate::span::Span;
use chumsky::prelude::{Parser, choice};

/// The flush policy of an emitter or a route.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flush {
    /// Which policy.
    pub kind: FlushKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of FLUSH.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlushKind {
    /// `FLUSH EACH e MAX BATCH SIZE s`
    Each {
        /// The domain time from the first row of an empty buffer.
        every: Duration,
        /// The logical Arrow bytes of a full buffer.
        max_batch_size: Size,
    },
    /// `FLUSH IMMEDIATE`
    Immediate,
}

pub(crate) fn rule<'t>() -> Rule<'t, Flush> {
    let each = keyword("EACH")
        .ignore_then(duration())
        .then_ignore(phrase("MAX BATCH SIZE"))
        .then(size());
    let each = each
        .map(|(every, max_batch_size)| FlushKind::Each {
            every,
            max_batch_size,
        })
        .boxed();
    let immediate = keyword("IMMEDIATE").map(|_| FlushKind::Immediate).boxed();
    located(
        keyword("FLUSH").ignore_then(choice((each, immediate))),
        |kind, span| Flush { kind, span },
    )
}

impl Print for Flush {
    fn print(&self, printer: &mut Printer) {
        match &self.kind {
            FlushKind::Each {
                every,
                max_batch_size,
            } => printer
                .put("FLUSH EACH ")
                .node(every)
                .put(" MAX BATCH SIZE ")
                .node(max_batch_size),
            FlushKind::Immediate => printer.put("FLUSH IMMEDIATE"),
        };
    }
}

display!(Flush);
