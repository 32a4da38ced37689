//! Avro, binary encoding: the bare datum of a record whose fields are those of the wire schema, in its order. An OPTIONAL
//! field is the union of null and its type, in this order; the items of arrays have the type of their field.

use nspl_model::{Schema, WireFormat, WireSchemaDef};

use super::notation::{FieldPlan, Notation};
use crate::bounded::{BoundedWriter, Full};
use crate::container::{AvroArray, Container, Varint};

mod reading;

/// The format.
pub(super) struct Avro;

/// The branches of the union of an OPTIONAL field, as they are written.
const NULL_BRANCH: u8 = 0;
const VALUE_BRANCH: u8 = 2;

impl Notation for Avro {
    const FORMAT: WireFormat = WireFormat::Avro;
    const FINITE: bool = false;
    const SIGNED: bool = true;
    const CONTAINER: &'static dyn Container = &AvroArray;

    fn fields(schema: &Schema, wire: &WireSchemaDef) -> Vec<FieldPlan> {
        let places = schema.places();
        let plan = |outside: &nspl_model::WireField| {
            let branch = |branch: u8| {
                if outside.optional {
                    vec![branch]
                } else {
                    Vec::new()
                }
            };
            FieldPlan {
                column: places.get(outside.name.as_str()).copied(),
                label: branch(VALUE_BRANCH),
                absent: branch(NULL_BRANCH),
            }
        };
        wire.fields.iter().map(plan).collect()
    }

    #[inline]
    fn open(_out: &mut BoundedWriter, _present: impl FnOnce() -> usize) -> Result<(), Full> {
        Ok(())
    }

    #[inline]
    fn close(_out: &mut BoundedWriter, _start: usize) -> Result<(), Full> {
        Ok(())
    }

    /// What is past a `long` was rejected before.
    #[inline]
    fn unsigned(out: &mut BoundedWriter, value: u64) -> Result<(), Full> {
        Self::signed(out, i64::try_from(value).unwrap_or(i64::MAX))
    }

    #[inline]
    fn signed(out: &mut BoundedWriter, value: i64) -> Result<(), Full> {
        out.write_short(Varint::new(value).as_bytes())
    }

    #[inline]
    fn f32(out: &mut BoundedWriter, value: f32) -> Result<(), Full> {
        out.write(&value.to_le_bytes())
    }

    #[inline]
    fn f64(out: &mut BoundedWriter, value: f64) -> Result<(), Full> {
        out.write(&value.to_le_bytes())
    }

    #[inline]
    fn bool(out: &mut BoundedWriter, value: bool) -> Result<(), Full> {
        out.push(u8::from(value))
    }

    #[inline]
    fn text(out: &mut BoundedWriter, text: &[u8]) -> Result<(), Full> {
        Self::bytes(out, text)
    }

    #[inline]
    fn bytes(out: &mut BoundedWriter, bytes: &[u8]) -> Result<(), Full> {
        out.write_short(Varint::of_count(bytes.len()).as_bytes())?;
        out.write(bytes)
    }

    #[inline]
    fn open_list(out: &mut BoundedWriter, items: usize) -> Result<(), Full> {
        if items == 0 {
            return Ok(());
        }
        out.write_short(Varint::of_count(items).as_bytes())
    }

    #[inline]
    fn between_items(_out: &mut BoundedWriter) -> Result<(), Full> {
        Ok(())
    }

    /// The count of the next block: none.
    #[inline]
    fn close_list(out: &mut BoundedWriter, _items: usize) -> Result<(), Full> {
        out.push(0)
    }
}
