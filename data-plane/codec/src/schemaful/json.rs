//! JSON: in schema order and without blanks (rulings section 9, Payload details).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nervix_columns::text::{FloatText, bool_text};
use nspl_model::{Schema, WireFormat, WireSchemaDef};

use super::notation::{FieldPlan, Notation};
use crate::bounded::{BoundedWriter, Full};
use crate::container::{Container, JsonArray};

mod array;
mod reading;
mod text;

pub use array::json_array;

/// The format.
pub(super) struct Json;

/// Bytes that become base64 at once; three give four characters.
const BYTES_AT_ONCE: usize = 384;

impl Notation for Json {
    const FORMAT: WireFormat = WireFormat::Json;
    const FINITE: bool = true;
    const SIGNED: bool = false;
    const CONTAINER: &'static dyn Container = &JsonArray;

    /// Each label begins with a comma, and the first comma of a record becomes its bracket.
    fn fields(schema: &Schema, _wire: &WireSchemaDef) -> Vec<FieldPlan> {
        FieldPlan::labelled(schema, |name| {
            let mut label = BoundedWriter::boundless();
            let written = label
                .push(b',')
                .and_then(|()| text::write(&mut label, name.as_bytes()));
            let _full = written.and_then(|()| label.push(b':')).is_err();
            label.bytes().to_vec()
        })
    }

    #[inline]
    fn open(_out: &mut BoundedWriter, _present: impl FnOnce() -> usize) -> Result<(), Full> {
        Ok(())
    }

    #[inline]
    fn close(out: &mut BoundedWriter, start: usize) -> Result<(), Full> {
        if out.len() == start {
            return out.write(b"{}");
        }
        out.put(start, b'{');
        out.push(b'}')
    }

    #[inline]
    fn unsigned(out: &mut BoundedWriter, value: u64) -> Result<(), Full> {
        out.write_short(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn signed(out: &mut BoundedWriter, value: i64) -> Result<(), Full> {
        out.write_short(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn f32(out: &mut BoundedWriter, value: f32) -> Result<(), Full> {
        out.write_short(FloatText::default().write(value).as_bytes())
    }

    #[inline]
    fn f64(out: &mut BoundedWriter, value: f64) -> Result<(), Full> {
        out.write_short(FloatText::default().write(value).as_bytes())
    }

    #[inline]
    fn bool(out: &mut BoundedWriter, value: bool) -> Result<(), Full> {
        out.write_short(bool_text(value).as_bytes())
    }

    #[inline]
    fn text(out: &mut BoundedWriter, text: &[u8]) -> Result<(), Full> {
        text::write(out, text)
    }

    fn bytes(out: &mut BoundedWriter, bytes: &[u8]) -> Result<(), Full> {
        out.push(b'"')?;
        let mut characters = [0; BYTES_AT_ONCE / 3 * 4];
        for piece in bytes.chunks(BYTES_AT_ONCE) {
            // The room is exactly what the largest piece takes.
            let length = STANDARD.encode_slice(piece, &mut characters).unwrap_or_default();
            out.write(characters.get(..length).unwrap_or_default())?;
        }
        out.push(b'"')
    }

    #[inline]
    fn open_list(out: &mut BoundedWriter, _items: usize) -> Result<(), Full> {
        out.push(b'[')
    }

    #[inline]
    fn between_items(out: &mut BoundedWriter) -> Result<(), Full> {
        out.push(b',')
    }

    #[inline]
    fn close_list(out: &mut BoundedWriter, _items: usize) -> Result<(), Full> {
        out.push(b']')
    }
}
