//! Operations of ALTER RELAY.

use crate::grammar::{Rule, located, phrase};
use crate::printer::{Print, Printer};
use crate::quantity::{Whole, whole};
use crate::span::Span;
use chumsky::prelude::Parser;

/// One operation of ALTER RELAY.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlterRelay {
    /// `SET CAPACITY n`
    SetCapacity {
        /// The batches a consumer may be behind.
        capacity: Whole,
        /// Where the operation stands.
        span: Span,
    },
}

pub(super) fn rule<'t>() -> Rule<'t, AlterRelay> {
    let capacity = phrase("SET CAPACITY").ignore_then(whole());
    located(capacity, |capacity, span| AlterRelay::SetCapacity {
        capacity,
        span,
    })
}

impl Print for AlterRelay {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::SetCapacity { capacity, .. } => printer.put("SET CAPACITY ").node(capacity),
        };
    }
}
