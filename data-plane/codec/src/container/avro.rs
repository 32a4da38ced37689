//! An Avro array of one block, and the variable-length numbers of Avro (Avro specification, Binary Encoding).

use super::Container;

/// The block's count, its items, and the count zero that ends the array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AvroArray;

impl Container for AvroArray {
    fn head_len(&self, members: usize) -> usize {
        Varint::of_count(members).as_bytes().len()
    }

    fn write_head(&self, members: usize, payload: &mut Vec<u8>) {
        payload.extend_from_slice(Varint::of_count(members).as_bytes());
    }

    fn between(&self) -> &'static [u8] {
        b""
    }

    fn tail(&self) -> &'static [u8] {
        &[0]
    }
}

/// An `int` or `long`: zigzag, seven bits a byte, the least first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Varint {
    bytes: [u8; 10],
    length: usize,
}

impl Varint {
    #[inline]
    pub(crate) fn new(value: i64) -> Self {
        let mut rest = ((value << 1) ^ (value >> 63)) as u64;
        let mut varint = Self {
            bytes: [0; 10],
            length: 0,
        };
        for byte in &mut varint.bytes {
            varint.length += 1;
            *byte = (rest & 0x7f) as u8;
            rest >>= 7;
            if rest == 0 {
                break;
            }
            *byte |= 0x80;
        }
        varint
    }

    /// A count or a length; nothing in memory is longer than a `long` can say.
    #[inline]
    pub(crate) fn of_count(count: usize) -> Self {
        Self::new(i64::try_from(count).unwrap_or(i64::MAX))
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
