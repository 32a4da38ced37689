//! Reading CBOR items from a slice (RFC 8949): any form of an item that is well-formed, also those of indefinite length.
//!
//! Invariant: it never reads past the slice, and its nesting is at most [`DEPTH_MAX`].

use std::borrow::Cow;

use crate::container::Head;
use crate::schemaful::decoder::{Reason, Source};

/// Items within each other at most.
const DEPTH_MAX: usize = 127;

/// Tag 0: text in the form of RFC 3339.
const TAG_RFC3339: u64 = 0;
/// Tag 55799: what follows is CBOR.
const TAG_CBOR: u64 = 55_799;

const TAG: u8 = 6;
const OTHER: u8 = 7;

/// A slice and how far it is read.
#[derive(Debug, Clone)]
pub(super) struct CborReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The head of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemHead {
    pub(super) major: u8,
    /// The low five bits: how long the argument is.
    info: u8,
    /// `None`: of indefinite length, or the end of such an item.
    pub(super) argument: Option<u64>,
}

impl ItemHead {
    const BREAK: Self = Self {
        major: OTHER,
        info: 31,
        argument: None,
    };
}

impl<'a> CborReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn finish(&self) -> Option<()> {
        (self.at == self.bytes.len()).then_some(())
    }

    /// Passes over the tag that says that this is CBOR.
    pub(super) fn own_tag(&mut self) {
        let mut ahead = self.clone();
        if ahead
            .head()
            .is_some_and(|head| head.major == TAG && head.argument == Some(TAG_CBOR))
        {
            *self = ahead;
        }
    }

    pub(super) fn head(&mut self) -> Option<ItemHead> {
        let [first] = self.take()?;
        let (major, info) = (first >> 5, first & 31);
        let argument = match info {
            0..24 => Some(info.into()),
            24 => self.take().map(u8::from_be_bytes).map(u64::from),
            25 => self.take().map(u16::from_be_bytes).map(u64::from),
            26 => self.take().map(u32::from_be_bytes).map(u64::from),
            27 => self.take().map(u64::from_be_bytes),
            31 if matches!(major, Head::BYTES..=Head::MAP | OTHER) => {
                return Some(ItemHead {
                    major,
                    info,
                    argument: None,
                });
            }
            _ => None,
        };
        argument.map(|argument| ItemHead {
            major,
            info,
            argument: Some(argument),
        })
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let taken = self.bytes.get(self.at..)?.first_chunk::<N>()?;
        self.at += N;
        Some(*taken)
    }

    fn slice(&mut self, length: u64) -> Option<&'a [u8]> {
        let end = self.at.checked_add(usize::try_from(length).ok()?)?;
        let slice = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(slice)
    }

    /// Passes over the end of an item of indefinite length.
    fn ends(&mut self) -> Option<bool> {
        let mut ahead = self.clone();
        let ends = ahead.head()? == ItemHead::BREAK;
        if ends {
            *self = ahead;
        }
        Some(ends)
    }

    /// The content of a string whose head was read.
    pub(super) fn string(&mut self, head: ItemHead) -> Option<Cow<'a, [u8]>> {
        if let Some(length) = head.argument {
            return self.slice(length).map(Cow::Borrowed);
        }
        let mut whole = Vec::new();
        while !self.ends()? {
            let piece = self.head().filter(|piece| piece.major == head.major)?;
            whole.extend_from_slice(self.slice(piece.argument?)?);
        }
        Some(Cow::Owned(whole))
    }

    /// Reads the entries of an array or map whose head was read: `entry` reads each.
    pub(super) fn entries<E>(
        &mut self,
        head: ItemHead,
        malformed: E,
        mut entry: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = head.argument;
        loop {
            match &mut left {
                Some(0) => return Ok(()),
                Some(left) => *left -= 1,
                None => match self.ends() {
                    Some(true) => return Ok(()),
                    Some(false) => {}
                    None => return Err(malformed),
                },
            }
            entry(self)?;
        }
    }

    /// Reads an item of any kind and forgets it.
    pub(super) fn skip(&mut self) -> Option<()> {
        self.skip_at(0)
    }

    fn skip_at(&mut self, depth: usize) -> Option<()> {
        (depth < DEPTH_MAX).then_some(())?;
        let head = self.head()?;
        match head.major {
            Head::UNSIGNED | Head::NEGATIVE => Some(()),
            Head::BYTES => self.string(head).map(|_| ()),
            Head::TEXT => self
                .string(head)
                .and_then(|text| std::str::from_utf8(&text).ok().map(|_| ())),
            Head::ARRAY => self
                .entries(head, (), |reader| reader.skip_at(depth + 1).ok_or(()))
                .ok(),
            Head::MAP => {
                let entry = |reader: &mut Self| {
                    let key = reader.skip_at(depth + 1);
                    key.and_then(|()| reader.skip_at(depth + 1)).ok_or(())
                };
                self.entries(head, (), entry).ok()
            }
            TAG => self.skip_at(depth + 1),
            _ => (head != ItemHead::BREAK).then_some(()),
        }
    }

    /// A float of any width, or a whole number, as the nearest float of 64 bits.
    fn number(&mut self) -> Result<f64, Reason> {
        let head = self.head().ok_or(Reason::Malformed)?;
        let argument = head.argument.ok_or(Reason::Type)?;
        match (head.major, head.info) {
            (Head::UNSIGNED, _) => Ok(argument as f64),
            (Head::NEGATIVE, _) => Ok((-1 - i128::from(argument)) as f64),
            (OTHER, 25) => Ok(half(argument as u16)),
            (OTHER, 26) => Ok(f32::from_bits(argument as u32).into()),
            (OTHER, 27) => Ok(f64::from_bits(argument)),
            _ => Err(Reason::Type),
        }
    }
}

/// A float of 16 bits (RFC 8949, Appendix D).
fn half(bits: u16) -> f64 {
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (fraction + 1024.0) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}

impl<'a> Source<'a> for CborReader<'a> {
    fn null(&mut self) -> bool {
        let mut ahead = self.clone();
        let null = ahead
            .head()
            .is_some_and(|head| head.major == OTHER && head.info == 22);
        if null {
            *self = ahead;
        }
        null
    }

    fn integer(&mut self) -> Result<i128, Reason> {
        let head = self.head().ok_or(Reason::Malformed)?;
        match (head.major, head.argument) {
            (Head::UNSIGNED, Some(argument)) => Ok(argument.into()),
            (Head::NEGATIVE, Some(argument)) => Ok(-1 - i128::from(argument)),
            _ => Err(Reason::Type),
        }
    }

    /// Rounded to the nearest, as the digits of JSON are; what is finite and past the range does not fit.
    fn f32(&mut self) -> Result<f32, Reason> {
        let wide = self.number()?;
        let value = wide as f32;
        if value.is_infinite() && wide.is_finite() {
            Err(Reason::Range)
        } else {
            Ok(value)
        }
    }

    fn f64(&mut self) -> Result<f64, Reason> {
        self.number()
    }

    fn bool(&mut self) -> Result<bool, Reason> {
        let head = self.head().ok_or(Reason::Malformed)?;
        match (head.major, head.info) {
            (OTHER, 20) => Ok(false),
            (OTHER, 21) => Ok(true),
            _ => Err(Reason::Type),
        }
    }

    fn text(&mut self) -> Result<Cow<'a, str>, Reason> {
        let mut head = self.head().ok_or(Reason::Malformed)?;
        if head.major == TAG && head.argument == Some(TAG_RFC3339) {
            head = self.head().ok_or(Reason::Malformed)?;
        }
        if head.major != Head::TEXT {
            return Err(Reason::Type);
        }
        let text = match self.string(head).ok_or(Reason::Malformed)? {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        };
        text.ok_or(Reason::Malformed)
    }

    fn bytes(&mut self) -> Result<Cow<'a, [u8]>, Reason> {
        let head = self.head().ok_or(Reason::Malformed)?;
        if head.major != Head::BYTES {
            return Err(Reason::Type);
        }
        self.string(head).ok_or(Reason::Malformed)
    }

    fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Result<(), Reason>) -> Result<(), Reason> {
        let head = self.head().ok_or(Reason::Malformed)?;
        if head.major != Head::ARRAY {
            return Err(Reason::Type);
        }
        self.entries(head, Reason::Malformed, item)
    }
}
