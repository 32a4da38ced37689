//! Avro payloads: the bare datum of the wire schema's record.

use std::borrow::Cow;

use nspl_model::{WireFormat, WireType};

use super::Avro;
use crate::schemaful::decoder::{Reading, Reason, Record, Source, Unfit, WireFields};

/// Bytes of a `long` at most.
const LONG_BYTES_MAX: u32 = 10;

/// A slice and how far it is read.
#[derive(Debug, Clone)]
struct AvroReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reading for Avro {
    const FORMAT: WireFormat = WireFormat::Avro;

    fn read(payload: &[u8], fields: &WireFields, record: &mut Record<'_>) -> Result<(), Unfit> {
        let mut reader = AvroReader {
            bytes: payload,
            at: 0,
        };
        for (outside, column) in &fields.fields {
            let present = !outside.optional || reader.branch().ok_or(Unfit::Malformed)?;
            let set = match column {
                Some(column) if present => record.set(*column, &mut reader),
                Some(column) => record.set_null(*column),
                None if present => reader.skip(outside.wire_type),
                None => Ok(()),
            };
            // Where a value that does not fit ends is not known, so nothing behind it can be read.
            set.map_err(|reason| match reason {
                Reason::Malformed => Unfit::Malformed,
                _ => Unfit::Field,
            })?;
        }
        if reader.at == payload.len() {
            Ok(())
        } else {
            Err(Unfit::Malformed)
        }
    }
}

impl<'a> AvroReader<'a> {
    /// Whether the union of null and a type holds a value.
    fn branch(&mut self) -> Option<bool> {
        match self.long()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn long(&mut self) -> Option<i64> {
        let mut value = 0_u64;
        for place in 0..LONG_BYTES_MAX {
            let [byte] = self.take()?;
            let bits = u64::from(byte & 0x7f);
            let shifted = bits << (7 * place);
            // The tenth byte has room for one bit.
            (shifted >> (7 * place) == bits).then_some(())?;
            value |= shifted;
            if byte < 0x80 {
                return Some((value >> 1) as i64 ^ -((value & 1) as i64));
            }
        }
        None
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let taken = self.bytes.get(self.at..)?.first_chunk::<N>()?;
        self.at += N;
        Some(*taken)
    }

    fn slice(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.long()?).ok()?;
        let end = self.at.checked_add(length)?;
        let slice = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(slice)
    }

    /// Passes over a value of a field that the schema lacks.
    fn skip(&mut self, wire_type: WireType) -> Result<(), Reason> {
        let passed = match wire_type {
            WireType::Int | WireType::Long | WireType::Integer => self.long().map(|_| ()),
            WireType::Float => self.take::<4>().map(|_| ()),
            WireType::Double | WireType::Number => self.take::<8>().map(|_| ()),
            WireType::Boolean => self.take::<1>().map(|_| ()),
            WireType::String | WireType::Bytes => self.slice().map(|_| ()),
            // Of what its items are, the wire schema does not say; only one without items has a known end.
            WireType::Array => self.long().filter(|items| *items == 0).map(|_| ()),
        };
        passed.ok_or(Reason::Malformed)
    }
}

impl<'a> Source<'a> for AvroReader<'a> {
    /// A null is told by the branch before the value.
    fn null(&mut self) -> bool {
        false
    }

    fn integer(&mut self) -> Result<i128, Reason> {
        self.long().map(i128::from).ok_or(Reason::Malformed)
    }

    fn f32(&mut self) -> Result<f32, Reason> {
        self.take().map(f32::from_le_bytes).ok_or(Reason::Malformed)
    }

    fn f64(&mut self) -> Result<f64, Reason> {
        self.take().map(f64::from_le_bytes).ok_or(Reason::Malformed)
    }

    fn bool(&mut self) -> Result<bool, Reason> {
        match self.take() {
            Some([0]) => Ok(false),
            Some([1]) => Ok(true),
            _ => Err(Reason::Malformed),
        }
    }

    fn text(&mut self) -> Result<Cow<'a, str>, Reason> {
        let bytes = self.slice().ok_or(Reason::Malformed)?;
        std::str::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|_| Reason::Malformed)
    }

    fn bytes(&mut self) -> Result<Cow<'a, [u8]>, Reason> {
        self.slice().map(Cow::Borrowed).ok_or(Reason::Malformed)
    }

    /// Blocks of items up to one of none; a block with a negative count says its length in bytes too.
    fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Result<(), Reason>) -> Result<(), Reason> {
        loop {
            let count = self.long().ok_or(Reason::Malformed)?;
            if count == 0 {
                return Ok(());
            }
            if count < 0 {
                self.long()
                    .filter(|length| *length >= 0)
                    .ok_or(Reason::Malformed)?;
            }
            // Every item takes at least a byte, so a count that lies ends with the payload.
            for _ in 0..count.unsigned_abs() {
                item(self)?;
            }
        }
    }
}
