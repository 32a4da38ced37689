//! A syslog frame whose message is a JSON array of its members' frames.

use super::Container;

/// The header of the first member, no structured data, and the array.
#[derive(Debug, Clone)]
pub(crate) struct SyslogBatch {
    head: Vec<u8>,
}

impl SyslogBatch {
    /// `header` reaches up to STRUCTURED-DATA.
    pub(crate) fn new(header: &str) -> Self {
        Self {
            head: format!("{header}- [").into_bytes(),
        }
    }
}

impl Container for SyslogBatch {
    fn head_len(&self, _members: usize) -> usize {
        self.head.len()
    }

    fn write_head(&self, _members: usize, payload: &mut Vec<u8>) {
        payload.extend_from_slice(&self.head);
    }

    fn between(&self) -> &'static [u8] {
        b","
    }

    fn tail(&self) -> &'static [u8] {
        b"]"
    }
}
