//! The function reference: what each function does, with examples that run as tests.

use nspl_model::Function;

use crate::fault::Fault;

use super::FAMILIES;
use super::call::Kernel;

/// One function.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The function; its name and signature are its own.
    pub function: Function,
    /// What it gives, in a sentence or two.
    pub summary: &'static str,
    /// Calls and what they give.
    pub examples: &'static [Example],
    pub(in crate::program) kernel: Kernel,
}

/// A call and what it gives.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The arguments.
    pub args: &'static [Sample],
    /// The result.
    pub result: Sample,
}

/// A value in an example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sample {
    /// STRING.
    Text(&'static str),
    /// I64.
    I64(i64),
    /// I8.
    I8(i8),
    /// U64.
    U64(u64),
    /// F64.
    F64(f64),
    /// BOOL.
    Bool(bool),
    /// A null STRING.
    NullText,
    /// A null I64.
    NullI64,
    /// A null F64.
    NullF64,
    /// An error of the record; never an argument.
    Fails(Fault),
}

/// An example in one line.
pub(super) const fn example(args: &'static [Sample], result: Sample) -> Example {
    Example { args, result }
}

/// Every function, by family.
pub fn reference() -> impl Iterator<Item = &'static Entry> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .flat_map(|entries| entries.iter())
}
