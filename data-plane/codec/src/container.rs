//! Containers: how members become one payload (companion section 12).
//!
//! A container is bytes before, between and behind its members, so the size of a payload is a sum and members are encoded
//! once for every candidate that they are part of. A container of one member has the same shape.

mod avro;
mod cbor;
mod elements;
mod json;
mod syslog;
mod toml;
mod xml;

pub(crate) use avro::AvroArray;
pub(crate) use avro::Varint;
pub(crate) use cbor::{CborArray, Head};
pub(crate) use elements::Elements;
pub(crate) use json::JsonArray;
pub(crate) use syslog::SyslogBatch;
pub(crate) use toml::TomlBatch;
pub(crate) use xml::XmlBatch;

/// What stands around members.
///
/// Invariant: what it adds never shrinks as members are added.
pub(crate) trait Container {
    /// Bytes before the first of `members` members.
    fn head_len(&self, members: usize) -> usize;
    /// Writes them.
    fn write_head(&self, members: usize, payload: &mut Vec<u8>);
    /// The same on their own.
    fn head(&self, members: usize) -> Vec<u8> {
        let mut head = Vec::with_capacity(self.head_len(members));
        self.write_head(members, &mut head);
        head
    }
    /// Bytes between two members.
    fn between(&self) -> &'static [u8];
    /// Bytes behind the last member.
    fn tail(&self) -> &'static [u8];

    /// The payload of `members` members, given as they stand behind each other, with what belongs between them.
    fn payload(&self, members: usize, written: &[u8]) -> Vec<u8> {
        let mut payload = Vec::with_capacity(self.head_len(members) + written.len() + self.tail().len());
        self.write_head(members, &mut payload);
        payload.extend_from_slice(written);
        payload.extend_from_slice(self.tail());
        payload
    }
}
