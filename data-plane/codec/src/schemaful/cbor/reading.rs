//! CBOR payloads: a map with the fields by name, in any order; the last of doubled names counts.

use nspl_model::WireFormat;

use super::Cbor;
use super::item::CborReader;
use crate::container::Head;
use crate::schemaful::decoder::{Reading, Record, Unfit, WireFields};

impl Reading for Cbor {
    const FORMAT: WireFormat = WireFormat::Cbor;

    fn read(payload: &[u8], fields: &WireFields, record: &mut Record<'_>) -> Result<(), Unfit> {
        let mut reader = CborReader::new(payload);
        reader.own_tag();
        let whole = reader.clone();
        let head = reader.head().ok_or(Unfit::Malformed)?;
        if head.major != Head::MAP {
            reader = whole;
            let whole = reader.skip().and_then(|()| reader.finish());
            return Err(whole.map_or(Unfit::Malformed, |()| Unfit::NoRecord));
        }
        let mut unknown = Ok(());
        reader.entries(head, Unfit::Malformed, |reader| {
            let column = match key(reader)? {
                Some(name) => fields.column(&name),
                None => fields.unknown().map(|()| None),
            };
            let value = reader.clone();
            match column {
                Ok(Some(column)) if record.set(column, reader).is_ok() => return Ok(()),
                Ok(_) => {}
                Err(unfit) => unknown = Err(unfit),
            }
            *reader = value;
            reader.skip().ok_or(Unfit::Malformed)
        })?;
        reader.finish().ok_or(Unfit::Malformed)?;
        unknown
    }
}

/// The name of a field; `None` when the key is no text.
fn key(reader: &mut CborReader<'_>) -> Result<Option<String>, Unfit> {
    let key = reader.clone();
    let head = reader.head().ok_or(Unfit::Malformed)?;
    if head.major != Head::TEXT {
        *reader = key;
        return reader.skip().map(|()| None).ok_or(Unfit::Malformed);
    }
    let name = reader.string(head).ok_or(Unfit::Malformed)?;
    let name = String::from_utf8(name.into_owned());
    name.map(Some).map_err(|_| Unfit::Malformed)
}
