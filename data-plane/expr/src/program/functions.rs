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

use reference::Entry;

/// The entries of every family, in the order of the reference.
const FAMILIES: [&[&[Entry]]; 5] = [
    string::ENTRIES,
    regexp::ENTRIES,
    numeric::ENTRIES,
    nulls::ENTRIES,
    contextual::ENTRIES,
];

/// What is known of a function; `None` only when a family forgot one, which a test holds against.
fn entry(function: Function) -> Option<&'static Entry> {
    reference::reference().find(|entry| entry.function == function)
}
