//! `uuid_v7`.

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
    function: Function::UuidV7,
    summary: "A UUID of version 7: the milliseconds of now(), then random bits of its own for each row.",
    examples: &[],
    kernel: uuid_v7,
}];

fn uuid_v7(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let rows = args.context.rows();
    let mut octets = Octets::of(args);
    let mut texts = StringBuilder::with_capacity(rows, rows.saturating_mul(Hyphenated::LENGTH));
    let nanos = args.context.frame().snapshot.domain_time.0;
    let millis = u64::try_from(nanos.div_euclid(1_000_000)).unwrap_or(0);
    let mut buffer = [0; Hyphenated::LENGTH];
    for _ in 0..rows {
        let [random @ .., _, _, _, _, _, _] = octets.next();
        let uuid = Builder::from_unix_timestamp_millis(millis, &random).into_uuid();
        texts.append_value(uuid.hyphenated().encode_lower(&mut buffer));
    }
    Ok(Outcome::rows(Arc::new(texts.finish())))
}
