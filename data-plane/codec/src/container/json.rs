//! A JSON array, without blanks.

use super::Container;

/// `[a,b]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonArray;

impl Container for JsonArray {
    fn head_len(&self, _members: usize) -> usize {
        1
    }

    fn write_head(&self, _members: usize, payload: &mut Vec<u8>) {
        payload.push(b'[');
    }

    fn between(&self) -> &'static [u8] {
        b","
    }

    fn tail(&self) -> &'static [u8] {
        b"]"
    }
}
