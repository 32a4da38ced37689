//! Relay batches, branches and bounded fan-out.
