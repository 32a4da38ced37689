//! `leak_sensitive`.

use nspl_model::Function;

use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::value::{Outcome, Value};
use crate::row_errors::RowErrors;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::LeakSensitive,
    summary: "The argument, no longer sensitive: it may leave the system.",
    examples: &[example(&[Text("a")], Text("a")), example(&[NullText], NullText)],
    kernel: |args| {
        args.value(0).cloned().map(|value: Value| Outcome {
            value,
            errors: RowErrors::default(),
        })
    },
}];
