//! Judges a JSON document and finds what a path leads to, in one pass and without allocating.

use nervix_columns::json::{JsonReader, JsonScalar, JsonShape, unescape};
use nspl_model::JsonStep;

use crate::fault::Fault;

#[cfg(test)]
mod tests;

/// A value as it stands in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Json<'a> {
    Scalar(JsonScalar<'a>),
    Array,
    Object,
}

/// What the path leads to; `None` when nothing is there.
pub(super) fn find<'a>(document: &'a str, path: &[JsonStep]) -> Result<Option<Json<'a>>, Fault> {
    let mut reader = JsonReader::new(document);
    let found = value(&mut reader, Some(path));
    let whole = found.and_then(|found| reader.finish().map(|()| found));
    whole.ok_or(Fault::NotJson)
}

/// Judges one value. `path` is what is still to go from here, `None` when the value is not on the path.
fn value<'a>(reader: &mut JsonReader<'a>, path: Option<&[JsonStep]>) -> Option<Option<Json<'a>>> {
    let mut inner = None;
    let json = match reader.shape()? {
        JsonShape::Object => {
            reader.object(|reader, key| {
                let below = match path {
                    Some([JsonStep::Name(name), below @ ..]) if unescape(key) == name.as_str() => Some(below),
                    _ => None,
                };
                let found = value(reader, below)?;
                // The last of doubled keys counts.
                if below.is_some() {
                    inner = found;
                }
                Some(())
            })?;
            Json::Object
        }
        JsonShape::Array => {
            let mut index = 0;
            reader.array(|reader| {
                let below = match path {
                    Some([JsonStep::Index(wanted), below @ ..]) if *wanted == index => Some(below),
                    _ => None,
                };
                let found = value(reader, below)?;
                if below.is_some() {
                    inner = found;
                }
                index += 1;
                Some(())
            })?;
            Json::Array
        }
        JsonShape::Scalar => Json::Scalar(reader.scalar()?),
    };
    let here = path.is_some_and(<[JsonStep]>::is_empty);
    Some(if here { Some(json) } else { inner })
}
