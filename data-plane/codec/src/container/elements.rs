//! Members that only stand behind each other.

use super::Container;

/// The container of formats in which each element says itself that it is one: a block sequence of YAML, a repeated field
/// of protobuf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elements;

impl Container for Elements {
    fn head_len(&self, _members: usize) -> usize {
        0
    }

    fn write_head(&self, _members: usize, _payload: &mut Vec<u8>) {}

    fn between(&self) -> &'static [u8] {
        b""
    }

    fn tail(&self) -> &'static [u8] {
        b""
    }
}
