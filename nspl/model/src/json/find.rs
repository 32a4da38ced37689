//! Judges a JSON document and finds what a path leads to, in one pass and without allocating.

use thiserror::Error;

use super::{JsonReader, JsonScalar, JsonShape, unescape};
use crate::JsonStep;

#[cfg(test)]
mod tests;

/// A value as it stands in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonValue<'a> {
    /// One without parts.
    Scalar(JsonScalar<'a>),
    /// `[...]`
    Array,
    /// `{...}`
    Object,
}

/// The text is no JSON, or has brackets more than [`super::JSON_DEPTH_MAX`] deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the text is no JSON")]
pub struct NotJson;

/// What the path leads to; `None` when nothing is there. The whole document is judged, also what the path does not touch,
/// and the last of doubled keys counts (rulings section 5, JSON_VALUE).
///
/// # Errors
/// [`NotJson`].
pub fn find<'a>(document: &'a str, path: &[JsonStep]) -> Result<Option<JsonValue<'a>>, NotJson> {
    let mut reader = JsonReader::new(document);
    let found = value(&mut reader, Some(path));
    let whole = found.and_then(|found| reader.finish().map(|()| found));
    whole.ok_or(NotJson)
}

/// Judges one value. `path` is what is still to go from here, `None` when the value is not on the path.
fn value<'a>(reader: &mut JsonReader<'a>, path: Option<&[JsonStep]>) -> Option<Option<JsonValue<'a>>> {
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
            JsonValue::Object
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
            JsonValue::Array
        }
        JsonShape::Scalar => JsonValue::Scalar(reader.scalar()?),
    };
    let here = path.is_some_and(<[JsonStep]>::is_empty);
    Some(if here { Some(json) } else { inner })
}
