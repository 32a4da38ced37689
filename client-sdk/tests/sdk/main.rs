//! The SDK against a server that the test plays by hand: what it sends, when, and what it makes of the answers.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot play its server has failed"
)]

mod calling;
mod consuming;
mod peer;
mod writing;
