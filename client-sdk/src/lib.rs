//! Rust client of Nervix: control, writer and consumer.
