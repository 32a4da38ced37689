//! What the sink and the server bound.

use std::time::Duration;

/// The most bytes of one protocol message that Postgres reads (`emitters.txt`, Database writes). A write never measures less
/// than the message that carries its arrays.
pub const WRITE_BYTES_MAX: u64 = 1_073_741_822;

/// How long a connection may take: name, dial, TLS, login and settings share it. `connect_timeout` of the address, in
/// seconds, takes its place.
pub const CONNECT_TIME: Duration = Duration::from_secs(10);

/// How long an answer may take, before the time that its bytes are granted.
pub const ANSWER_TIME: Duration = Duration::from_secs(20);

/// What each begun MiB of a write adds to [`ANSWER_TIME`].
pub const ANSWER_TIME_PER_MIB: Duration = Duration::from_secs(1);

/// How long a connection beyond POOL SIZE MIN is kept unused; it is closed when another one comes back.
pub const IDLE_TIME: Duration = Duration::from_secs(60);

/// The most statements that a connection has the server keep, one for each emitter that shares it; of more, those that were
/// used last.
pub const STATEMENTS_MAX: usize = 64;

/// The most bytes that a server may send before it is ready for the first statement.
pub const LOGIN_BYTES_MAX: u64 = 1024 * 1024;

/// The most bytes of one message of the server, beside twice the bytes of the rows that are written, which it may quote.
/// While it comes it counts in the node's budget.
pub const MESSAGE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// How long the answer to a write of rows of `bytes` logical bytes may take.
pub(crate) fn answer_time(bytes: u64) -> Duration {
    let mebibytes = u32::try_from(bytes.div_ceil(1024 * 1024)).unwrap_or(u32::MAX);
    ANSWER_TIME + ANSWER_TIME_PER_MIB.saturating_mul(mebibytes)
}
