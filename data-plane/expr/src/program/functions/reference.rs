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

/// Functions that belong together: a page of the reference.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The name of its page.
    pub page: &'static str,
    /// What they are functions of.
    pub title: &'static str,
    /// What holds of all of them.
    pub about: &'static str,
    pub(super) entries: &'static [&'static [Entry]],
}

impl Family {
    /// Its functions, in the order of the reference.
    pub fn entries(&self) -> impl Iterator<Item = &'static Entry> + use<> {
        self.entries.iter().flat_map(|entries| entries.iter())
    }
}

/// Every family, in the order of the reference.
pub fn families() -> &'static [Family] {
    &FAMILIES
}

/// Every function, by family.
pub fn reference() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().flat_map(Family::entries)
}
