//! The contract between the emitter and a destination.
