//! `uuid_v4`.

use std::sync::Arc;

use arrow::array::StringBuilder;
use arrow::error::ArrowError;
use nspl_model::Function;
use uuid::Builder;
use uuid::fmt::Hyphenated;

use super::super::call::Args;
use super::super::reference::Entry;
use super::random::Octets;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::UuidV4,
    summary: "A random UUID of version 4, of its own for each row.",
    examples: &[],
    kernel: uuid_v4,
}];

fn uuid_v4(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let rows = args.context.rows();
    let mut octets = Octets::of(args);
    let mut texts = StringBuilder::with_capacity(rows, rows.saturating_mul(Hyphenated::LENGTH));
    let mut buffer = [0; Hyphenated::LENGTH];
    for _ in 0..rows {
        let octets = octets.next();
        let uuid = Builder::from_random_bytes(octets).into_uuid();
        texts.append_value(uuid.hyphenated().encode_lower(&mut buffer));
    }
    Ok(Outcome::rows(Arc::new(texts.finish())))
}
