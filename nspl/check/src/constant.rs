//! Values of constant expressions, as far as validation needs them (rulings section 5): to refuse what always fails,
//! and to bind DEFAULT records. Every operation here means what the data plane's columnar one means, one value at a time.

pub(crate) mod arithmetic;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod datetime;
pub(crate) mod function;
pub(crate) mod number_text;

/// Why an operation on constants fails; never quotes a value.
pub(crate) type Failure = String;
