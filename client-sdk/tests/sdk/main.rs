//! The SDK against a server that the test plays by hand: what it sends, when, and what it makes of the answers.

mod consuming;
mod peer;
mod writing;
