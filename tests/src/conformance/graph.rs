//! The graph of the suite: an ingestor, a relay, the emitter under test, and an error relay with consumers.

use super::Destination;

/// The target that the emitter writes to, in every trial.
pub(super) const TARGET: &str = "conformance";

/// The statements of a trial; `address` is where the emitter reaches the destination.
pub(super) fn script<D: Destination>(destination: &D, address: &str, ack_timeout: &str) -> String {
    format!(
        "CREATE DOMAIN d;
         USE d;
         START;
         BEGIN;
         CREATE SCHEMA event (id I64, note STRING);
         CREATE SCHEMA failure (reference STRING, code STRING, operation STRING, message STRING, id I64);
         {codecs}
         CREATE CLIENT c {client};
         CREATE RELAY events SCHEMA event UNBRANCHED;
         CREATE RELAY failures SCHEMA failure UNBRANCHED;
         CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK
           TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         CREATE EMITTER failed FROM failures TO CLIENT SCHEMA failure
           MODE ACK PARALLEL MAX 8 ACK TIMEOUT 30s RETRY POLICY BACKOFF 10ms MAX 100ms
           INHERIT ALL BATCH MAX MESSAGES 1000 MAX SIZE 1MiB FLUSH IMMEDIATE
           ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         CREATE EMITTER outbox FROM events
           TO {sink} {batch} FLUSH IMMEDIATE
           ON MESSAGE ERROR SEND TO failures SET reference = error.reference, code = error.code,
             operation = error.operation, message = error.message, id = input.id
           ON GENERAL ERROR LOG;
         COMMIT;",
        codecs = destination.codecs(),
        client = destination.client(address),
        sink = destination.sink(TARGET, ack_timeout),
        batch = destination.batch(),
    )
}
