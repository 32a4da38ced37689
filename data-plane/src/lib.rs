//! The worker: assignments, ingestors, emitters and Arrow Flight, wired together.
