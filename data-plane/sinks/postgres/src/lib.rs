//! The Postgres sink: inserts of many rows, `INSERT ... SELECT ... FROM unnest(...)` (`emitters.txt`, "Postgres" and
//! "Database writes"; rulings section 9, Postgres and SQLSTATE).
//!
//! - **Delivered** (MODE ACK): the insert succeeded; it was a transaction of its own.
//! - **Rejected** when a row was written alone: SQLSTATE of the classes 09, 21, 22, 23, 2F, 38, 39, 44, 54 and P0, and of
//!   classes that Postgres does not define, which are those of a user's functions; and a float that is no whole number for a
//!   column of integers (22003), or a number that JSON text cannot hold. Of a write of several rows the same means: nothing
//!   of it was written, write them one by one.
//! - **Unresolved**: every other SQLSTATE, a connection that cannot be made or is lost, no answer in time, a table or a
//!   column that is missing.
//!
//! Columns are bound as one array each. What type it has is decided when the sink is opened, by the type of the column,
//! which the server tells: in binary form where that type takes the values without a loss, else as text that the statement
//! casts. An insert is refused where columns have other types by then, and a refusal is believed only of columns that still
//! have those types; otherwise the write is bound anew.
//!
//! A connection is driven by whoever uses it, so that there is no task beside the emitter's, and whatever gives up a write
//! closes its connection with it. A connection has the server read a statement once: reading and planning it with every
//! write cost about 0.1 ms, where 1,000 rows cost one to two. When the table changes the server reads it anew by itself; a
//! session that has lost it is closed.
//!
//! Limits that are known: [`limits`]. Deliberately absent: creating tables, COPY, retries, transactions over several writes,
//! text of the server about a write, which may quote its values.

mod answer;
mod bind;
mod bounded;
mod client;
mod config;
mod describe;
mod dial;
mod fault;
mod insert;
pub mod limits;
mod pool;
mod session;
mod sqlstate;
mod statement;

pub use client::connect;
