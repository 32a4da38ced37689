//! The Postgres sink.
