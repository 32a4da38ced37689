//! A row on its own as a JSON array: what several key fields are on the wire (rulings section 9, Keys on the wire).

use arrow::array::ArrayRef;

use super::Json;
use crate::bounded::{BoundedWriter, Full};
use crate::schemaful::columns::Column;
use crate::schemaful::encoder::write_value;
use crate::schemaful::notation::Notation;

/// The first row of each column, in their order, each value as schemaful JSON writes it; no column and no value are
/// `null`, and a number that JSON has no form for is a string with its text. `None` for a column of a type that NSPL
/// lacks.
pub fn json_array(columns: &[Option<ArrayRef>]) -> Option<Vec<u8>> {
    let mut out = BoundedWriter::boundless();
    let columns = columns.iter().map(|column| match column {
        Some(array) => Column::of(array.as_ref()).map(Some),
        None => Some(None),
    });
    let columns: Vec<Option<Column<'_>>> = columns.collect::<Option<_>>()?;
    write(&columns, &mut out).ok()?;
    Some(out.bytes().to_vec())
}

fn write(columns: &[Option<Column<'_>>], out: &mut BoundedWriter) -> Result<(), Full> {
    Json::open_list(out, columns.len())?;
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            Json::between_items(out)?;
        }
        let Some(column) = column.as_ref().filter(|column| column.is_valid(0)) else {
            out.write(b"null")?;
            continue;
        };
        let is_text = column.values.has_unwritable(0, Json::FINITE, Json::SIGNED);
        if is_text {
            out.push(b'"')?;
        }
        write_value::<Json>(&column.values, 0, out)?;
        if is_text {
            out.push(b'"')?;
        }
    }
    Json::close_list(out, columns.len())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, BinaryArray, Float64Array, StringArray, TimestampNanosecondArray};

    use super::json_array;

    #[test]
    fn each_value_stands_as_it_does_in_a_record() {
        let columns: [Option<ArrayRef>; 6] = [
            Some(Arc::new(StringArray::from(vec!["a\"\u{8}\u{7f}"]))),
            Some(Arc::new(BinaryArray::from(vec![&b"hi"[..]]))),
            Some(Arc::new(
                TimestampNanosecondArray::from(vec![1_000_000]).with_timezone("UTC"),
            )),
            Some(Arc::new(Float64Array::from(vec![f64::NEG_INFINITY]))),
            Some(Arc::new(Float64Array::from(vec![None]))),
            None,
        ];
        let text = String::from_utf8(json_array(&columns).unwrap()).unwrap();
        assert_eq!(
            text,
            "[\"a\\\"\\b\u{7f}\",\"aGk=\",\"1970-01-01T00:00:00.001Z\",\"-inf\",null,null]"
        );
        assert_eq!(json_array(&[]).unwrap(), b"[]");
    }
}
