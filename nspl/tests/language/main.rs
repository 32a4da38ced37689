//! The language as its users meet it: the golden corpus, and the reference that is written from the code.
//!
//! `make docs` (`NSPL_WRITE=1 cargo test -p nspl --test language`) writes what these tests compare with (rendered diagnostics and
//! pages of docs/reference); the difference is to be read before it is committed.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own files has failed"
)]

mod broken;
mod case;
mod clients;
mod completion;
mod corpus;
mod functions;
mod fuzz;
mod golden;
mod growth;
mod pages;
mod reference;
mod statements;
#[path = "../../syntax/tests/syntax/thread_time.rs"]
mod thread_time;
mod tree;
