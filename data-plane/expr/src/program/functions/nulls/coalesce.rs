//! `coalesce`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::reference::Sample::{I64, NullI64, NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::case::Picks;
use crate::program::context::Context;
use crate::program::node::Node;
use crate::program::value::{Outcome, wrong_type};
use crate::row_errors::RowErrors;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Coalesce,
    summary: "The first argument that is not null, null when all are. What follows it is not looked at, so an \
              error there does not count.",
    examples: &[
        example(&[NullI64, I64(2), I64(3)], I64(2)),
        example(&[Text("a"), NullText], Text("a")),
        example(&[NullText, NullText], NullText),
    ],
    // A call is compiled to a node of its own, since its arguments are not all evaluated.
    kernel: |_| Err(wrong_type()),
}];

/// Evaluates each argument in the rows in which all before it are null.
pub(in crate::program) fn coalesce(args: &[Node], context: &Context<'_>) -> Result<Outcome, ArrowError> {
    let rows = context.rows();
    let mut open = context.selection();
    let mut errors = RowErrors::default();
    let mut picks = Picks::default();
    let mut last = None;
    for arg in args {
        let arg = arg.evaluate(&context.narrowed(&open))?;
        let valid = arg.value.valid(rows);
        let hit = &valid & &open;
        let failed = arg.errors.mask(rows);
        errors = errors.merge(arg.errors);
        open = &(&open & &!&valid) & &!&failed;
        if hit.count_set_bits() > 0 {
            picks.add(arg.value, hit);
        } else {
            last = Some(arg.value);
        }
        if open.count_set_bits() == 0 {
            break;
        }
    }
    // Rows that are null in every argument take the null of some argument.
    match last {
        Some(value) if open.count_set_bits() > 0 || picks.is_empty() => picks.add(value, open),
        _ if open.count_set_bits() > 0 => picks.add_null(open)?,
        _ => {}
    }
    Ok(Outcome {
        value: picks.merged(rows)?,
        errors,
    })
}
