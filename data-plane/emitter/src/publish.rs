//! Publishing: one driver for each shape of sink.
//!
//! The drivers share the pure machines: lanes, pack, window, retained, retry. Only the session shape is driven now; the
//! drivers of payload, rows, request and staged sinks come beside it with their first sinks.

pub(crate) mod session;
pub(crate) mod trouble;
