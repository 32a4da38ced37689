//! CBOR: a map of definite length, integers in the fewest bytes, floats in the width of their type.

use nspl_model::{Schema, WireFormat, WireSchemaDef};

use super::notation::{FieldPlan, Notation};
use crate::bounded::{BoundedWriter, Full};
use crate::container::{CborArray, Container, Head};

mod item;
mod reading;

/// The format.
pub(super) struct Cbor;

/// `false`; `true` is the next.
const FALSE: u8 = 0xf4;
const F32: u8 = 0xfa;
const F64: u8 = 0xfb;

impl Notation for Cbor {
    const FORMAT: WireFormat = WireFormat::Cbor;
    const FINITE: bool = false;
    const SIGNED: bool = false;
    const CONTAINER: &'static dyn Container = &CborArray;

    fn fields(schema: &Schema, _wire: &WireSchemaDef) -> Vec<FieldPlan> {
        FieldPlan::labelled(schema, |name| {
            let head = Head::new(Head::TEXT, name.len() as u64);
            [head.as_bytes(), name.as_bytes()].concat()
        })
    }

    #[inline]
    fn open(out: &mut BoundedWriter, present: impl FnOnce() -> usize) -> Result<(), Full> {
        head(out, Head::MAP, present() as u64)
    }

    #[inline]
    fn close(_out: &mut BoundedWriter, _start: usize) -> Result<(), Full> {
        Ok(())
    }

    #[inline]
    fn unsigned(out: &mut BoundedWriter, value: u64) -> Result<(), Full> {
        head(out, Head::UNSIGNED, value)
    }

    #[inline]
    fn signed(out: &mut BoundedWriter, value: i64) -> Result<(), Full> {
        match u64::try_from(value) {
            Ok(value) => head(out, Head::UNSIGNED, value),
            // The argument of a negative number n is -1 - n.
            Err(_) => head(out, Head::NEGATIVE, value.unsigned_abs() - 1),
        }
    }

    #[inline]
    fn f32(out: &mut BoundedWriter, value: f32) -> Result<(), Full> {
        let [a, b, c, d] = value.to_be_bytes();
        out.write(&[F32, a, b, c, d])
    }

    #[inline]
    fn f64(out: &mut BoundedWriter, value: f64) -> Result<(), Full> {
        let [a, b, c, d, e, f, g, h] = value.to_be_bytes();
        out.write(&[F64, a, b, c, d, e, f, g, h])
    }

    #[inline]
    fn bool(out: &mut BoundedWriter, value: bool) -> Result<(), Full> {
        out.push(FALSE + u8::from(value))
    }

    #[inline]
    fn text(out: &mut BoundedWriter, text: &[u8]) -> Result<(), Full> {
        head(out, Head::TEXT, text.len() as u64)?;
        out.write(text)
    }

    #[inline]
    fn bytes(out: &mut BoundedWriter, bytes: &[u8]) -> Result<(), Full> {
        head(out, Head::BYTES, bytes.len() as u64)?;
        out.write(bytes)
    }

    #[inline]
    fn open_list(out: &mut BoundedWriter, items: usize) -> Result<(), Full> {
        head(out, Head::ARRAY, items as u64)
    }

    #[inline]
    fn between_items(_out: &mut BoundedWriter) -> Result<(), Full> {
        Ok(())
    }

    #[inline]
    fn close_list(_out: &mut BoundedWriter, _items: usize) -> Result<(), Full> {
        Ok(())
    }
}

#[inline]
fn head(out: &mut BoundedWriter, major: u8, argument: u64) -> Result<(), Full> {
    out.write_short(Head::new(major, argument).as_bytes())
}
