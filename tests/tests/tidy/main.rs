//! Rules of the house that a compiler does not check: arrows between rooms, sizes, names, module docs.
//! Each failure is a sentence that says what to do.

mod arrows;
mod documents;
mod sources;
mod tree;
