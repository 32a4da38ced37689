//! Values of constant expressions (rulings section 5): to refuse what always fails, to judge constants that a
//! destination refuses, and to bind DEFAULT records. Every operation here means what the data plane's columnar one
//! means, one value at a time. Texts that grow past a bound are judged by their length and not kept.

pub(crate) mod arithmetic;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod datetime;
mod evaluate;
mod function;
mod json;
pub(crate) mod node;
pub(crate) mod number_text;
mod numeric;
pub(crate) mod pattern;
mod text;

pub use evaluate::constant_value;

use nspl_model::Literal;

/// Why an operation on constants fails; never quotes a value.
pub(crate) type Failure = String;

/// The value of a node; `None` when it is no constant, or a text too long to keep.
pub(crate) type Folded = Result<Option<Literal>, Failure>;
