//! Rules of the house that a compiler does not check: arrows between rooms, sizes, names, module docs.
//! Each failure is a sentence that says what to do.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and spawns its own peers"
)]

mod arrows;
mod documents;
mod licences;
mod rulings;
mod sources;
mod tree;
mod uses;
mod walls;
