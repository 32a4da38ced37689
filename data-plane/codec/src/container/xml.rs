//! An XML document with one root, of which the members are the children.

use super::Container;

/// `<batch>`, the elements of the members, `</batch>`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct XmlBatch;

const OPEN: &[u8] = b"<batch>";

impl Container for XmlBatch {
    fn head_len(&self, _members: usize) -> usize {
        OPEN.len()
    }

    fn write_head(&self, _members: usize, payload: &mut Vec<u8>) {
        payload.extend_from_slice(OPEN);
    }

    fn between(&self) -> &'static [u8] {
        b""
    }

    fn tail(&self) -> &'static [u8] {
        b"</batch>"
    }
}
