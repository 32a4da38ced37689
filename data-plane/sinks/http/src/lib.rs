//! The HTTP sink: one request for each record, strictly in order (`emitters.txt`, "HTTP requests" and "HTTP retries and
//! acknowledgements"; rulings section 9, HTTP details).
//!
//! - **Delivered** (MODE ACK): complete valid final headers with a status from 200 to 299. The body is never waited for.
//! - **Rejected**: status 101, and 300 to 499 without those below. Redirects are not followed.
//! - **Unresolved**, and sent again byte for byte by the emitter: 408, 425, 429, 500 to 599, and 401, 403 and 407; a name
//!   that does not resolve, a connection, TLS or a send that fails, a malformed or oversize head, a connection that ends or a
//!   timeout that passes before the final headers are complete.
//!
//! It speaks HTTP/1.1 over a connection for each attempt, which ends with the final headers, and it reads heads with
//! httparse over the raw stream instead of hyper's client. The sentences it has to keep are about the head alone, and
//! hyper's client decides some of them otherwise or not at all: it would start a body, keep a pool's bookkeeping, follow
//! its own limits (100 fields, and a buffer size where names and values are to be counted, for each interim block anew),
//! hand over interim responses by callback only, and pass over framing that it does not need for the status. What is
//! left to do over a raw stream is small, and a request is one vectored write.
//!
//! Limits that are known: [`limits`]. Deliberately absent: retries, redirects, cookies, proxies, response bodies,
//! compression, and HTTP/2.

mod answer;
mod client;
mod config;
mod date;
mod exchange;
mod fault;
mod framing;
mod head;
pub mod limits;
mod request;
mod retry_after;
mod send;

pub use client::{connect, open_through};
