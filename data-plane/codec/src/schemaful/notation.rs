//! What a format says of values and records; the walk over rows and columns is the same for all.

use nspl_model::{Schema, WireFormat, WireSchemaDef};

use crate::bounded::{BoundedWriter, Full};
use crate::container::Container;

/// A wire format.
pub(super) trait Notation: Send + Sync + 'static {
    /// Which one.
    const FORMAT: WireFormat;
    /// It has no form for NaN and the infinities.
    const FINITE: bool;
    /// It has no form for integers past 2^63-1.
    const SIGNED: bool;
    /// How members become a payload.
    const CONTAINER: &'static dyn Container;

    /// The fields of a record, in the order in which they are written.
    fn fields(schema: &Schema, wire: &WireSchemaDef) -> Vec<FieldPlan>;

    /// Before the first field; `present` counts the fields that are not null.
    fn open(out: &mut BoundedWriter, present: impl FnOnce() -> usize) -> Result<(), Full>;
    /// Behind the last field of a record that began at `start`.
    fn close(out: &mut BoundedWriter, start: usize) -> Result<(), Full>;

    fn unsigned(out: &mut BoundedWriter, value: u64) -> Result<(), Full>;
    fn signed(out: &mut BoundedWriter, value: i64) -> Result<(), Full>;
    fn f32(out: &mut BoundedWriter, value: f32) -> Result<(), Full>;
    fn f64(out: &mut BoundedWriter, value: f64) -> Result<(), Full>;
    fn bool(out: &mut BoundedWriter, value: bool) -> Result<(), Full>;
    /// UTF-8.
    fn text(out: &mut BoundedWriter, text: &[u8]) -> Result<(), Full>;
    fn bytes(out: &mut BoundedWriter, bytes: &[u8]) -> Result<(), Full>;

    /// Before the items of a list.
    fn open_list(out: &mut BoundedWriter, items: usize) -> Result<(), Full>;
    /// Between two items.
    fn between_items(out: &mut BoundedWriter) -> Result<(), Full>;
    /// Behind the items of a list.
    fn close_list(out: &mut BoundedWriter, items: usize) -> Result<(), Full>;
}

/// One field of a record outside.
#[derive(Debug, Clone)]
pub(super) struct FieldPlan {
    /// Its place in the schema; `None` for a wire field that the schema lacks.
    pub(super) column: Option<usize>,
    /// What stands before a value.
    pub(super) label: Vec<u8>,
    /// What stands in place of label and value where there is no value.
    pub(super) absent: Vec<u8>,
}

impl FieldPlan {
    /// The fields of the schema in its order, each with its label and left out where it is null.
    pub(super) fn labelled(schema: &Schema, label: impl Fn(&str) -> Vec<u8>) -> Vec<Self> {
        let fields = schema.fields.iter().enumerate();
        let plan = |(index, field): (usize, &nspl_model::Field)| Self {
            column: Some(index),
            label: label(&field.name),
            absent: Vec::new(),
        };
        fields.map(plan).collect()
    }
}
