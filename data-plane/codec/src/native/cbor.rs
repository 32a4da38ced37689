//! CBOR of values: RFC 8949, definite lengths, the shortest form of every head.
//!
//! A whole number beyond 64 bits is a bignum. Decimal digits become the nearest double. Read is one data item of bounded
//! depth; a tag that is no bignum's is passed over, and what it tags is read.

use ciborium_io::Write;
use ciborium_ll::{Decoder, Encoder, Header, simple, tag};
use jaq_json::{Map, Num, Val};

use super::fault::{ReadFault, WriteFault};
use super::nesting::{DEPTH_MAX, Nesting};
use super::number;
use crate::bounded::{BoundedWriter, Full};

impl Write for &mut BoundedWriter {
    type Error = Full;

    fn write_all(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.write(bytes)
    }

    fn flush(&mut self) -> Result<(), Full> {
        Ok(())
    }
}

/// Appends a value.
pub(crate) fn write(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    write_at(value, &mut Encoder::from(out), Nesting::default())
}

/// Appends an element of an array that is the payload.
pub(crate) fn write_element(value: &Val, out: &mut BoundedWriter) -> Result<(), WriteFault> {
    write_at(value, &mut Encoder::from(out), Nesting::default().deeper()?)
}

fn write_at(value: &Val, out: &mut Encoder<&mut BoundedWriter>, nesting: Nesting) -> Result<(), WriteFault> {
    match value {
        Val::Null => out.push(Header::Simple(simple::NULL))?,
        Val::Bool(true) => out.push(Header::Simple(simple::TRUE))?,
        Val::Bool(false) => out.push(Header::Simple(simple::FALSE))?,
        Val::Num(number) => write_number(number, out)?,
        Val::TStr(text) => {
            let text = std::str::from_utf8(text).map_err(|_| WriteFault::NOT_UTF8)?;
            out.text(text, None)?;
        }
        Val::BStr(octets) => out.bytes(octets, None)?,
        Val::Arr(elements) => {
            let within = nesting.deeper()?;
            out.push(Header::Array(Some(elements.len())))?;
            for element in elements.iter() {
                write_at(element, out, within)?;
            }
        }
        Val::Obj(fields) => {
            let within = nesting.deeper()?;
            out.push(Header::Map(Some(fields.len())))?;
            for (key, field) in fields.iter() {
                write_at(key, out, within)?;
                write_at(field, out, within)?;
            }
        }
    }
    Ok(())
}

fn write_number(number: &Num, out: &mut Encoder<&mut BoundedWriter>) -> Result<(), WriteFault> {
    let Num::BigInt(big) = number else {
        match number.as_isize() {
            Some(whole) => out.push(head(whole as i128).unwrap_or(Header::Positive(0)))?,
            None => out.push(Header::Float(number::double(number)))?,
        }
        return Ok(());
    };
    // Digits of what fits are few; what does not parse does not fit.
    if let Some(head) = big.to_string().parse().ok().and_then(head) {
        out.push(head)?;
        return Ok(());
    }
    let magnitude = |bytes: Vec<u8>, tag, out: &mut Encoder<&mut BoundedWriter>| {
        out.push(Header::Tag(tag))?;
        out.bytes(&bytes, None)
    };
    let opposite = -(**big).clone();
    if opposite > (**big).clone() {
        magnitude((opposite - 1_u8).to_bytes_be().1, tag::BIGNEG, out)?;
    } else {
        magnitude(big.to_bytes_be().1, tag::BIGPOS, out)?;
    }
    Ok(())
}

/// The head of a whole number that has one.
fn head(whole: i128) -> Option<Header> {
    match u64::try_from(whole) {
        Ok(positive) => Some(Header::Positive(positive)),
        Err(_) => u64::try_from(-1 - whole).ok().map(Header::Negative),
    }
}

/// Reads one data item.
pub(crate) fn read(payload: &[u8]) -> Result<Val, ReadFault> {
    let mut decoder = Decoder::from(payload);
    let head = decoder.pull()?;
    let value = read_at(head, &mut decoder, 0)?;
    if decoder.offset() == payload.len() {
        Ok(value)
    } else {
        Err(ReadFault::Malformed)
    }
}

impl<E> From<ciborium_ll::Error<E>> for ReadFault {
    fn from(_: ciborium_ll::Error<E>) -> Self {
        Self::Malformed
    }
}

fn read_at(head: Header, decoder: &mut Decoder<&[u8]>, depth: u32) -> Result<Val, ReadFault> {
    if depth > DEPTH_MAX {
        return Err(ReadFault::TooDeep);
    }
    Ok(match head {
        Header::Positive(whole) => Val::Num(Num::from_integral(whole)),
        Header::Negative(whole) => Val::Num(Num::from_integral(-1 - i128::from(whole))),
        Header::Float(float) => Val::from(float),
        Header::Simple(simple::NULL | simple::UNDEFINED) => Val::Null,
        Header::Simple(simple::TRUE) => Val::from(true),
        Header::Simple(simple::FALSE) => Val::from(false),
        Header::Simple(_) => return Err(ReadFault::Unsupported("a simple value")),
        Header::Text(length) => Val::from(read_text(length, decoder)?),
        Header::Bytes(length) => Val::byte_str(read_bytes(length, decoder)?),
        Header::Tag(sign @ (tag::BIGPOS | tag::BIGNEG)) => read_bignum(sign == tag::BIGNEG, decoder)?,
        Header::Tag(_) => {
            let tagged = decoder.pull()?;
            read_at(tagged, decoder, depth + 1)?
        }
        Header::Array(length) => {
            let mut elements = Vec::new();
            while let Some(head) = next(length, elements.len(), decoder)? {
                elements.push(read_at(head, decoder, depth + 1)?);
            }
            elements.into_iter().collect()
        }
        Header::Map(length) => {
            let (mut fields, mut count) = (Map::default(), 0);
            while let Some(head) = next(length, count, decoder)? {
                let key = read_at(head, decoder, depth + 1)?;
                let head = decoder.pull()?;
                fields.insert(key, read_at(head, decoder, depth + 1)?);
                count += 1;
            }
            Val::obj(fields)
        }
        Header::Break => return Err(ReadFault::Malformed),
    })
}

/// The head of the next element; none after the last.
fn next(
    length: Option<usize>,
    count: usize,
    decoder: &mut Decoder<&[u8]>,
) -> Result<Option<Header>, ReadFault> {
    match length {
        Some(length) if count == length => Ok(None),
        Some(_) => Ok(Some(decoder.pull()?)),
        None => Ok(Some(decoder.pull()?).filter(|head| *head != Header::Break)),
    }
}

fn read_text(length: Option<usize>, decoder: &mut Decoder<&[u8]>) -> Result<String, ReadFault> {
    let (mut text, mut buffer) = (String::new(), [0; 4096]);
    let mut segments = decoder.text(length);
    while let Some(mut segment) = segments.pull()? {
        while let Some(piece) = segment.pull(&mut buffer)? {
            text.push_str(piece);
        }
    }
    Ok(text)
}

fn read_bytes(length: Option<usize>, decoder: &mut Decoder<&[u8]>) -> Result<Vec<u8>, ReadFault> {
    let (mut octets, mut buffer) = (Vec::new(), [0; 4096]);
    let mut segments = decoder.bytes(length);
    while let Some(mut segment) = segments.pull()? {
        while let Some(piece) = segment.pull(&mut buffer)? {
            octets.extend_from_slice(piece);
        }
    }
    Ok(octets)
}

fn read_bignum(is_negative: bool, decoder: &mut Decoder<&[u8]>) -> Result<Val, ReadFault> {
    let Header::Bytes(length) = decoder.pull()? else {
        return Err(ReadFault::Malformed);
    };
    let mut digits = String::from("0");
    for byte in read_bytes(length, decoder)? {
        digits.push_str(&format!("{byte:02x}"));
    }
    let magnitude = Num::from_str_radix(&digits, 16).ok_or(ReadFault::Malformed)?;
    let whole = if is_negative {
        Num::Int(-1) - magnitude
    } else {
        magnitude
    };
    Ok(Val::Num(whole))
}
