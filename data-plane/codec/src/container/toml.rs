//! A TOML document with one key, an array of tables.

use super::Container;

/// `[[batch]]`, a member after the other with a blank line between them; what is written of a member begins with the
/// header of its table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TomlBatch;

impl TomlBatch {
    /// The key.
    pub(crate) const KEY: &'static str = "batch";
}

impl Container for TomlBatch {
    fn head_len(&self, _members: usize) -> usize {
        0
    }

    fn write_head(&self, _members: usize, _payload: &mut Vec<u8>) {}

    fn between(&self) -> &'static [u8] {
        b"\n"
    }

    fn tail(&self) -> &'static [u8] {
        b""
    }
}
