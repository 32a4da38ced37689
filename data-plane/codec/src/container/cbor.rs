//! A CBOR array of definite length (RFC 8949), and the heads of all CBOR items.

use super::Container;

/// The array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CborArray;

impl Container for CborArray {
    fn head_len(&self, members: usize) -> usize {
        Head::new(Head::ARRAY, members as u64).as_bytes().len()
    }

    fn write_head(&self, members: usize, payload: &mut Vec<u8>) {
        payload.extend_from_slice(Head::new(Head::ARRAY, members as u64).as_bytes());
    }

    fn between(&self) -> &'static [u8] {
        b""
    }

    fn tail(&self) -> &'static [u8] {
        b""
    }
}

/// The head of an item: a major type and its argument in the fewest bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    bytes: [u8; 9],
    length: usize,
}

impl Head {
    pub(crate) const UNSIGNED: u8 = 0;
    pub(crate) const NEGATIVE: u8 = 1;
    pub(crate) const BYTES: u8 = 2;
    pub(crate) const TEXT: u8 = 3;
    pub(crate) const ARRAY: u8 = 4;
    pub(crate) const MAP: u8 = 5;

    #[inline]
    pub(crate) fn new(major: u8, argument: u64) -> Self {
        let big = argument.to_be_bytes();
        let (length, small) = match argument {
            0..24 => (1, big[7]),
            0x18..0x100 => (2, 24),
            0x100..0x1_0000 => (3, 25),
            0x1_0000..0x1_0000_0000 => (5, 26),
            _ => (9, 27),
        };
        let mut bytes = [0; 9];
        bytes[0] = major << 5 | small;
        let argument_len = length - 1;
        for (place, byte) in bytes[1..].iter_mut().zip(&big[8 - argument_len..]) {
            *place = *byte;
        }
        Self { bytes, length }
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
