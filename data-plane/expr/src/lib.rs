//! Columnar evaluation of typed NSPL expressions (companion sections 4 to 6, rulings section 5).
//!
//! A [`Program`] is compiled once from a typed expression and evaluated over whole columns. An error concerns
//! one record: it stands in [`RowErrors`] beside the column, and the other rows go on. Where no row fails that
//! channel is an empty list. A [`Predicate`] is a WHERE; a [`Constructor`] builds records from INHERIT, SET and
//! the route's WHERE, and says of each row whether it was kept, dropped or failed, and why. [`Headers`] evaluate
//! INVOKE and [`RequestFields`] METHOD and PATH of the finished records.
//!
//! Invariants: the slot of a failed row is null; no message quotes a value; an expression over the same frame
//! gives the same result each time, volatile functions included, since they read the frame's snapshot alone.
//!
//! Deliberately absent: parsing, type checking (an [`nspl_model::Expr`] is already judged), clocks, I/O,
//! acknowledgements, and what an error policy does with a failure.

mod constructor;
mod error_records;
mod external_text;
mod failure;
mod fault;
mod frame;
mod headers;
mod predicate;
mod program;
mod request;
mod row_errors;
mod survivors;

pub use constructor::{Constructed, Constructor, RowGroup};
pub use error_records::{error_records, error_reference};
pub use failure::{Failure, FailureSite, MESSAGE_CHARS_MAX};
pub use fault::{EvalError, Fault};
pub use frame::{Frame, RelayState};
pub use headers::{Envelopes, Headers};
pub use predicate::{Filtered, Predicate};
pub use program::{CompileError, Entry, Evaluated, Example, Family, Program, Sample, families, reference};
pub use request::{RequestFields, Requests};
pub use row_errors::RowErrors;
