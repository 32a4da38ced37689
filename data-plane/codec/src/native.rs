//! The formats of jaq-native codecs: between values of programs and payloads (companion section 12).
//!
//! Each format says how a value is a payload, how values are the members of one, and how a payload is read. A writer
//! writes what its format has, exactly, and calls anything else a fault of the value; a reader never panics, never
//! recurses beyond [`nesting::DEPTH_MAX`], and never quotes what it read.

pub(crate) mod cbor;
pub(crate) mod fault;
pub(crate) mod json;
pub(crate) mod nesting;
pub(crate) mod number;
pub(crate) mod toml;
pub(crate) mod xml;
pub(crate) mod yaml;

#[cfg(test)]
mod tests;
