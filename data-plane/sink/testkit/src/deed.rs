//! What a destination does about one attempt.

use nervix_sink::{Failure, Rejection};

/// What a destination does about one attempt of one unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Takes it and confirms it.
    Take,
    /// Takes it, and the answer is lost.
    TakeInSilence(Failure),
    /// Refuses it for good.
    Refuse(Rejection),
    /// Does not take it.
    Fail(Failure),
    /// Answers when it is told to.
    Hold,
}
