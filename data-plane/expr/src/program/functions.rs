//! The functions of the expression language (companion section 4, rulings section 5).
//!
//! Each function has a file in the folder of its family, with its documentation and examples; the examples run
//! as tests and feed the reference.

use nspl_model::Function;

pub(super) mod call;
mod contextual;
pub(super) mod nulls;
mod numeric;
pub(super) mod reference;
mod regexp;
mod string;

#[cfg(test)]
mod tests;

use reference::{Entry, Family};

/// The entries of every family, in the order of the reference.
const FAMILIES: [Family; 5] = [
    Family {
        page: "text",
        title: "Functions of text",
        about: "Characters are Unicode scalar values: a letter with a combining mark behind it is two. Positions are \
                counted from 1.",
        entries: string::ENTRIES,
    },
    Family {
        page: "regexp",
        title: "Functions of regular expressions",
        about: "The syntax is that of the regex crate: no look-around and no back-references, Unicode on, the leftmost \
                alternative first, `.` stops at a newline. A constant pattern is judged at validation and compiled once, \
                another once for each of its values; compiled it has at most 4 MiB.",
        entries: regexp::ENTRIES,
    },
    Family {
        page: "numbers",
        title: "Functions of numbers",
        about: "Those that give F64 take each argument as F64, rounded. A result that is no number, a pole and an overflow \
                are errors of the record; NaN in gives NaN out; an underflow is 0 with the sign of the result.",
        entries: numeric::ENTRIES,
    },
    Family {
        page: "nulls",
        title: "Functions of nulls",
        about: "They look at nulls; all others but concat, which skips them, are null when an argument is.",
        entries: nulls::ENTRIES,
    },
    Family {
        page: "context",
        title: "Functions of the execution snapshot, and leak_sensitive",
        about: "Each batch has a snapshot, and a retry keeps it: a record that is sent again has the same values. Each \
                call in the text has values of its own.",
        entries: contextual::ENTRIES,
    },
];

/// What is known of a function; `None` only when a family forgot one, which a test holds against.
fn entry(function: Function) -> Option<&'static Entry> {
    reference::reference().find(|entry| entry.function == function)
}
