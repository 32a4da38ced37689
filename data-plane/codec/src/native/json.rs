//! JSON of values: RFC 8259, in the order in which a program built it, without spaces.
//!
//! Written is only what JSON has: a byte string becomes padded base64 text (companion section 12); a number that is not
//! finite, a key that is no string and text that is no UTF-8 are faults. Whole numbers keep all their digits. Read is
//! what the system's one reader of JSON reads: strict, and of bounded depth.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jaq_json::{Map, Val};
use nspl_model::json::{JsonReader, JsonScalar, JsonShape, unescape};

use super::fault::{ReadFault, WriteFault};
use super::nesting::Nesting;
use super::number;
use crate::bounded::BoundedWriter;

/// Appends a value.
pub(crate) fn write(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    write_at(value, out, Nesting::default())
}

/// Appends an element of an array that is the payload.
pub(crate) fn write_element(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    write_at(value, out, Nesting::default().deeper()?)
}

fn write_at(value: &Val, out: &mut BoundedWriter, nesting: Nesting) -> Result<(), WriteFault> {
    match value {
        Val::Null => out.write(b"null")?,
        Val::Bool(true) => out.write(b"true")?,
        Val::Bool(false) => out.write(b"false")?,
        Val::Num(number) => {
            let text = number::finite(number).ok_or(WriteFault::NOT_FINITE)?;
            out.write(text.as_bytes())?;
        }
        Val::TStr(text) => write_text(text, out)?,
        Val::BStr(octets) => write_text(STANDARD.encode(&***octets).as_bytes(), out)?,
        Val::Arr(elements) => {
            let within = nesting.deeper()?;
            out.write(b"[")?;
            for (place, element) in elements.iter().enumerate() {
                separate(place, out)?;
                write_at(element, out, within)?;
            }
            out.write(b"]")?;
        }
        Val::Obj(fields) => {
            let within = nesting.deeper()?;
            out.write(b"{")?;
            for (place, (key, field)) in fields.iter().enumerate() {
                separate(place, out)?;
                let Val::TStr(key) = key else {
                    return Err(WriteFault::KEY);
                };
                write_text(key, out)?;
                out.write(b":")?;
                write_at(field, out, within)?;
            }
            out.write(b"}")?;
        }
    }
    Ok(())
}

fn separate(place: usize, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    if place > 0 {
        out.write(b",")?;
    }
    Ok(())
}

/// Appends text in quotes; quotes, backslashes and control characters are escaped.
pub(crate) fn write_text(text: &[u8], out: &mut BoundedWriter) -> Result<(), WriteFault> {
    if std::str::from_utf8(text).is_err() {
        return Err(WriteFault::NOT_UTF8);
    }
    out.write(b"\"")?;
    for run in text.split_inclusive(|byte| escape(*byte).is_some()) {
        match run.split_last() {
            Some((last, plain)) if let Some(kind) = escape(*last) => {
                out.write(plain)?;
                if kind == b'u' {
                    out.write(format!("\\u{last:04x}").as_bytes())?;
                } else {
                    out.write(&[b'\\', kind])?;
                }
            }
            _ => out.write(run)?,
        }
    }
    out.write(b"\"")?;
    Ok(())
}

/// What follows the backslash of a character that is escaped.
fn escape(byte: u8) -> Option<u8> {
    match byte {
        b'"' | b'\\' => Some(byte),
        0x08 => Some(b'b'),
        b'\t' => Some(b't'),
        b'\n' => Some(b'n'),
        0x0c => Some(b'f'),
        b'\r' => Some(b'r'),
        0..0x20 => Some(b'u'),
        _ => None,
    }
}

/// Reads one JSON text.
pub(crate) fn read(payload: &[u8]) -> Result<Val, ReadFault> {
    let text = std::str::from_utf8(payload).map_err(|_| ReadFault::Malformed)?;
    let mut reader = JsonReader::new(text);
    let value = read_value(&mut reader).ok_or(ReadFault::Malformed)?;
    reader.finish().ok_or(ReadFault::Malformed)?;
    Ok(value)
}

/// It recurses as deep as the reader goes, which is bounded.
fn read_value(reader: &mut JsonReader<'_>) -> Option<Val> {
    match reader.shape()? {
        JsonShape::Object => {
            let mut fields = Map::default();
            reader.object(|reader, key| {
                fields.insert(Val::from(unescape(key).into_owned()), read_value(reader)?);
                Some(())
            })?;
            Some(Val::obj(fields))
        }
        JsonShape::Array => {
            let mut elements = Vec::new();
            reader.array(|reader| {
                elements.push(read_value(reader)?);
                Some(())
            })?;
            Some(elements.into_iter().collect())
        }
        JsonShape::Scalar => Some(match reader.scalar()? {
            JsonScalar::Null => Val::Null,
            JsonScalar::Bool(truth) => Val::from(truth),
            JsonScalar::Number(spelled) => Val::Num(number::read(spelled)),
            JsonScalar::Text(raw) => Val::from(unescape(raw).into_owned()),
        }),
    }
}
