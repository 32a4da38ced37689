//! The HTTP sink.
