//! JSON payloads: an object with the fields by name, in any order; the last of doubled names counts.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nspl_model::WireFormat;
use nspl_model::json::{JsonReader, JsonScalar, JsonShape, unescape, whole_number};

use super::Json;
use crate::schemaful::decoder::{Reading, Reason, Record, Source, Unfit, WireFields};

/// Digits that surely fit 64 bits, with their sign.
const SURE_DIGITS_MAX: usize = 18;

impl Reading for Json {
    const FORMAT: WireFormat = WireFormat::Json;

    fn read(payload: &[u8], fields: &WireFields, record: &mut Record<'_>) -> Result<(), Unfit> {
        let text = std::str::from_utf8(payload).map_err(|_| Unfit::Malformed)?;
        let mut reader = JsonReader::new(text);
        if reader.shape().ok_or(Unfit::Malformed)? != JsonShape::Object {
            let whole = reader.skip().and_then(|()| reader.finish());
            return Err(whole.map_or(Unfit::Malformed, |()| Unfit::NoRecord));
        }
        let mut unknown = Ok(());
        let read = reader.object(|reader, key| match fields.column(&unescape(key)) {
            Ok(Some(column)) => {
                let value = reader.clone();
                if record.set(column, reader).is_err() {
                    // Where the value ends, and whether the rest is JSON, is judged all the same.
                    *reader = value;
                    reader.skip()?;
                }
                Some(())
            }
            Ok(None) => reader.skip(),
            Err(unfit) => {
                unknown = Err(unfit);
                reader.skip()
            }
        });
        read.and_then(|()| reader.finish()).ok_or(Unfit::Malformed)?;
        unknown
    }
}

fn scalar<'a>(reader: &mut JsonReader<'a>) -> Result<JsonScalar<'a>, Reason> {
    match reader.shape() {
        Some(JsonShape::Scalar) => reader.scalar().ok_or(Reason::Malformed),
        Some(_) => Err(Reason::Type),
        None => Err(Reason::Malformed),
    }
}

fn number<'a>(reader: &mut JsonReader<'a>) -> Result<&'a str, Reason> {
    match scalar(reader)? {
        JsonScalar::Number(text) => Ok(text),
        _ => Err(Reason::Type),
    }
}

impl<'a> Source<'a> for JsonReader<'a> {
    fn null(&mut self) -> bool {
        let mut ahead = self.clone();
        let null = ahead.shape() == Some(JsonShape::Scalar) && ahead.scalar() == Some(JsonScalar::Null);
        if null {
            *self = ahead;
        }
        null
    }

    fn integer(&mut self) -> Result<i128, Reason> {
        let text = number(self)?;
        let sure = if text.len() <= SURE_DIGITS_MAX {
            text.parse::<i64>().ok()
        } else {
            None
        };
        sure.map(i128::from)
            .or_else(|| whole_number(text))
            .ok_or(Reason::Range)
    }

    fn f32(&mut self) -> Result<f32, Reason> {
        let value: f32 = number(self)?.parse().map_err(|_| Reason::Malformed)?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Reason::Range)
        }
    }

    fn f64(&mut self) -> Result<f64, Reason> {
        let value: f64 = number(self)?.parse().map_err(|_| Reason::Malformed)?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Reason::Range)
        }
    }

    fn bool(&mut self) -> Result<bool, Reason> {
        match scalar(self)? {
            JsonScalar::Bool(value) => Ok(value),
            _ => Err(Reason::Type),
        }
    }

    fn text(&mut self) -> Result<Cow<'a, str>, Reason> {
        match scalar(self)? {
            JsonScalar::Text(raw) => Ok(unescape(raw)),
            _ => Err(Reason::Type),
        }
    }

    fn bytes(&mut self) -> Result<Cow<'a, [u8]>, Reason> {
        let text = self.text()?;
        STANDARD
            .decode(text.as_bytes())
            .map(Cow::Owned)
            .map_err(|_| Reason::Base64)
    }

    fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Result<(), Reason>) -> Result<(), Reason> {
        match self.shape() {
            Some(JsonShape::Array) => {}
            Some(_) => return Err(Reason::Type),
            None => return Err(Reason::Malformed),
        }
        let mut failed = Reason::Malformed;
        let read = self.array(|reader| item(reader).map_err(|reason| failed = reason).ok());
        read.ok_or(failed)
    }
}
