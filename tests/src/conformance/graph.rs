//! The graph of the suite: an ingestor, a relay, the emitter under test, and an error relay with consumers.

use super::Destination;
use crate::error_records::{SEND_TO, error_relay};

/// The target that the emitter writes to, in every trial.
pub(super) const TARGET: &str = "conformance";

/// The statements of a trial: `client` is what follows CREATE CLIENT c, `mode` what follows MODE.
pub(super) fn script<D: Destination>(destination: &D, client: &str, mode: &str) -> String {
    format!(
        "CREATE DOMAIN d;
         USE d;
         START;
         BEGIN;
         CREATE SCHEMA event (id I64, note STRING);
         {codecs}
         CREATE CLIENT c {client};
         CREATE RELAY events SCHEMA event UNBRANCHED;
         {errors}
         CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK
           TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         CREATE EMITTER outbox FROM events
           TO {sink} {batch} FLUSH IMMEDIATE
           ON MESSAGE ERROR {SEND_TO} ON GENERAL ERROR LOG;
         COMMIT;",
        errors = error_relay("UNBRANCHED"),
        codecs = destination.codecs(),
        sink = destination.sink(TARGET, mode),
        batch = destination.batch(),
    )
}
