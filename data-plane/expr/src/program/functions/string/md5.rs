//! `md5`.

use arrow::error::ArrowError;
use md5::{Digest, Md5};
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Md5,
    summary: "The MD5 digest of the text as UTF-8, in 32 hexadecimal digits. It keeps nothing secret.",
    examples: &[
        example(&[Text("")], Text("d41d8cd98f00b204e9800998ecf8427e")),
        example(&[Text("abc")], Text("900150983cd24fb0d6963f7d28e17f72")),
        example(&[NullText], NullText),
    ],
    kernel: digest,
}];

fn digest(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    text_rows(args.context, args.name, |row, out| {
        let Some(text) = texts.get(row) else {
            return Ok(None);
        };
        let digest = Md5::digest(text.as_bytes());
        let halves = digest.iter().flat_map(|byte| [byte >> 4, byte & 0xF]);
        let digits = halves.filter_map(|half| char::from_digit(half.into(), 16));
        out.append_with(|column| column.extend(digits)).map(Some)
    })
}
