//! One line as JSON, with every number as it is spelled: what it is read for decides how it is rounded, once.

use std::{borrow::Cow, collections::BTreeMap};

use nspl::model::json::{JsonReader, JsonScalar, JsonShape, unescape};

/// A value; strings without their escapes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Truth(bool),
    /// As it is spelled.
    Number(&'a str),
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    /// No field takes one, so what is in it is not kept.
    Object,
}

/// The members of an object; the last of doubled keys counts.
pub(super) type Members<'a> = BTreeMap<Cow<'a, str>, Json<'a>>;

/// What a line is.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    Object(Members<'a>),
    /// JSON of another kind.
    Other,
}

/// Reads a line; `None` when it is no JSON.
pub(super) fn line(text: &str) -> Option<Line<'_>> {
    let mut reader = JsonReader::new(text);
    let line = if reader.shape()? == JsonShape::Object {
        let mut members = Members::new();
        reader.object(|reader, key| {
            members.insert(unescape(key), value(reader)?);
            Some(())
        })?;
        Line::Object(members)
    } else {
        reader.skip()?;
        Line::Other
    };
    reader.finish()?;
    Some(line)
}

fn value<'a>(reader: &mut JsonReader<'a>) -> Option<Json<'a>> {
    Some(match reader.shape()? {
        JsonShape::Object => {
            reader.skip()?;
            Json::Object
        }
        JsonShape::Array => {
            let mut items = Vec::new();
            reader.array(|reader| {
                items.push(value(reader)?);
                Some(())
            })?;
            Json::Array(items)
        }
        JsonShape::Scalar => match reader.scalar()? {
            JsonScalar::Null => Json::Null,
            JsonScalar::Bool(truth) => Json::Truth(truth),
            JsonScalar::Number(spelled) => Json::Number(spelled),
            JsonScalar::Text(text) => Json::Text(unescape(text)),
        },
    })
}
