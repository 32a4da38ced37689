//! Schemaful codecs against hand-written bytes, against other people's readers, and against themselves.

mod decoding;
mod differential;
mod faults;
mod golden;
mod round_trip;
