//! One face of all formats that programs write and read.

use jaq_json::Val;
use nspl_model::JaqFormat;

use super::value::BytesForm;
use crate::bounded::BoundedWriter;
use crate::container::{CborArray, Container, Elements, JsonArray, TomlBatch, XmlBatch};
use crate::native::fault::{ReadFault, WriteFault};
use crate::native::{cbor, json, toml, xml, yaml};
use crate::protobuf::Messages;

/// A format.
pub(crate) enum Format {
    Native(JaqFormat),
    Protobuf(Messages),
}

impl Format {
    /// Its word in messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Format::Native(format) => format.name(),
            Format::Protobuf(_) => "PROTOBUF",
        }
    }

    /// What BYTES of a record are to its programs.
    pub(crate) fn bytes_form(&self) -> BytesForm {
        match self {
            Format::Native(JaqFormat::Cbor) => BytesForm::Octets,
            Format::Native(_) | Format::Protobuf(_) => BytesForm::Base64,
        }
    }

    /// Appends a payload of one record.
    pub(crate) fn write(&self, value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
        match self {
            Format::Native(JaqFormat::Json) => json::write(value, out),
            Format::Native(JaqFormat::Yaml) => yaml::write(value, out),
            Format::Native(JaqFormat::Toml) => toml::write(value, out),
            Format::Native(JaqFormat::Xml) => xml::write(value, out),
            Format::Native(JaqFormat::Cbor) => cbor::write(value, out),
            Format::Protobuf(messages) => messages.write(value, out),
        }
    }

    /// Appends a member of the container.
    pub(crate) fn write_member(&self, value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
        match self {
            Format::Native(JaqFormat::Json) => json::write_element(value, out),
            Format::Native(JaqFormat::Yaml) => yaml::write_element(value, out),
            Format::Native(JaqFormat::Toml) => toml::write_element(TomlBatch::KEY, value, out),
            Format::Native(JaqFormat::Xml) => xml::write_element(value, out),
            Format::Native(JaqFormat::Cbor) => cbor::write_element(value, out),
            Format::Protobuf(messages) => messages.write_member(value, out),
        }
    }

    /// Appends a payload that ON EMITTING BATCH built.
    pub(crate) fn write_batch(&self, value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
        match self {
            Format::Native(_) => self.write(value, out),
            Format::Protobuf(messages) => messages.write_batch(value, out),
        }
    }

    /// What stands around members.
    pub(crate) fn container(&self) -> &'static dyn Container {
        match self {
            Format::Native(JaqFormat::Json) => &JsonArray,
            Format::Native(JaqFormat::Cbor) => &CborArray,
            Format::Native(JaqFormat::Toml) => &TomlBatch,
            Format::Native(JaqFormat::Xml) => &XmlBatch,
            Format::Native(JaqFormat::Yaml) | Format::Protobuf(_) => &Elements,
        }
    }

    /// Reads one payload.
    pub(crate) fn read(&self, payload: &[u8]) -> Result<Val, ReadFault> {
        match self {
            Format::Native(JaqFormat::Json) => json::read(payload),
            Format::Native(JaqFormat::Yaml) => yaml::read(payload),
            Format::Native(JaqFormat::Toml) => toml::read(payload),
            Format::Native(JaqFormat::Xml) => xml::read(payload),
            Format::Native(JaqFormat::Cbor) => cbor::read(payload),
            Format::Protobuf(messages) => messages.read(payload),
        }
    }
}
