//! Packing: how many rows at the front of a lane become the next payload (`emitters.txt`, Batch payloads).
//!
//! Invariants: rows keep their order and each belongs to exactly one payload or is rejected alone; a payload never
//! exceeds the limit; a candidate of n rows takes at most ceil(log2 n) + 1 encodings. Sizes are never estimated: the
//! encoder says whether the exact bytes fit. This machine counts rows and knows no Arrow; the driver of sessions uses it too.

/// What the encoder says of a candidate.
#[derive(Debug, PartialEq, Eq)]
pub enum Encoding<P> {
    /// It fits the limit; these are its bytes.
    Fits(P),
    /// The encoding reached the limit and was abandoned.
    TooLarge,
}

/// What the rows at the front become.
#[derive(Debug, PartialEq, Eq)]
pub enum Front<P> {
    /// The first `rows` rows are one payload.
    Payload {
        /// How many rows, at least one.
        rows: usize,
        /// Their encoding.
        payload: P,
    },
    /// The first row alone exceeds the limit: it follows ON MESSAGE ERROR (validation, encode).
    RowTooLarge,
}

/// Packs the front of `available` rows, at least one, at most `messages_max` of them. `encode(n)` encodes the first n
/// rows. A candidate that is too large is halved: its first ceil(n/2) rows are encoded again, the rest stay in front.
pub fn pack<P>(
    available: usize,
    messages_max: u32,
    mut encode: impl FnMut(usize) -> Encoding<P>,
) -> Front<P> {
    let mut rows = available.min(messages_max as usize).max(1);
    loop {
        match encode(rows) {
            Encoding::Fits(payload) => return Front::Payload { rows, payload },
            Encoding::TooLarge if rows == 1 => return Front::RowTooLarge,
            Encoding::TooLarge => rows = rows.div_ceil(2),
        }
    }
}

#[cfg(test)]
mod tests;
