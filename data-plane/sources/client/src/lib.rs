//! The source CLIENT: the way in for applications that write, and what they are answered (flight.md "Writing").
//!
//! One [`Inlet`] stands for one CLIENT ingestor, whatever incarnation executes it: writers' streams enter batches, the
//! ingestor takes them from its queue. Each stream has one [`AnswerBook`]: which of its positions are open, and what is
//! ready to be sent. What is not done here: reading and writing Flight, converting batches, asking the budget.

mod answer_book;
mod answers;
mod inlet;

pub use answer_book::{AnswerBook, EndGuard, answer_of};
pub use answers::{Answer, AnswerRange, Answers, READY_RANGES_MAX, RESEND_AFTER, Status};
pub use inlet::{ArrivalQueue, CloseReason, Inlet, InletClosed, InletState, QUEUE_BATCHES};
