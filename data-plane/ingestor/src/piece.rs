//! Rows on their way into a relay, and how small ones are joined.
//!
//! Invariants: row i of a piece's share and times is record i; a large piece is never copied; small neighbours become
//! one piece, so that a buffer of many small batches holds few objects.

use std::sync::Arc;

use arrow::{array::RecordBatch, error::ArrowError};
use nervix_ack::Share;
use nervix_budget::{Budget, Held};
use nervix_columns::{concat, held_bytes, logical_bytes};
use nervix_relay::Timestamps;

/// Pieces of at least so many logical bytes are passed on as they are.
pub(crate) const LARGE_PIECE_BYTES: u64 = 128 * 1024;
/// A joined batch grows to about this many logical bytes.
pub(crate) const JOINED_BYTES: u64 = 4 * 1024 * 1024;
/// Small pieces that a buffer keeps apart before it joins them.
pub(crate) const SMALL_PIECES_MAX: usize = 256;

/// Rows of one branch in the relay's schema.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) records: RecordBatch,
    pub(crate) share: Share,
    pub(crate) times: Timestamps,
    pub(crate) held: Arc<Held>,
    pub(crate) bytes: u64,
    /// Whether it is the result of joining small pieces.
    pub(crate) joined: bool,
}

impl Piece {
    pub(crate) fn new(records: RecordBatch, share: Share, times: Timestamps, held: Arc<Held>) -> Self {
        Self {
            bytes: logical_bytes(&records),
            records,
            share,
            times,
            held,
            joined: false,
        }
    }

    fn is_small(&self) -> bool {
        self.bytes < LARGE_PIECE_BYTES
    }
}

/// Joins the small pieces at the end of a buffer once there are too many of them.
///
/// # Errors
/// When Arrow refuses; the pieces that were to be joined are dropped then, and their rows resolve as unresolved.
pub(crate) fn tidy(pieces: &mut Vec<Piece>, budget: &Budget) -> Result<(), ArrowError> {
    let loose = pieces
        .iter()
        .rev()
        .take_while(|piece| piece.is_small() && !piece.joined)
        .count();
    if loose < SMALL_PIECES_MAX {
        return Ok(());
    }
    let tail = pieces.split_off(pieces.len() - loose);
    pieces.push(join(tail, budget)?);
    Ok(())
}

/// The pieces as few batches, in order: runs of small ones are joined, large ones pass.
///
/// # Errors
/// When Arrow refuses; what has not been joined yet is dropped, and its rows resolve as unresolved.
pub(crate) fn batches(pieces: Vec<Piece>, budget: &Budget) -> Result<Vec<Piece>, ArrowError> {
    let mut out = Vec::new();
    let mut run: Vec<Piece> = Vec::new();
    let mut run_bytes = 0;
    for piece in pieces {
        let small = piece.is_small() || piece.joined;
        if !run.is_empty() && (!small || run_bytes + piece.bytes > JOINED_BYTES) {
            out.push(join(std::mem::take(&mut run), budget)?);
            run_bytes = 0;
        }
        if small {
            run_bytes += piece.bytes;
            run.push(piece);
        } else {
            out.push(piece);
        }
    }
    if !run.is_empty() {
        out.push(join(run, budget)?);
    }
    Ok(out)
}

fn join(mut pieces: Vec<Piece>, budget: &Budget) -> Result<Piece, ArrowError> {
    if pieces.len() == 1
        && let Some(only) = pieces.pop()
    {
        return Ok(only);
    }
    let records: Vec<RecordBatch> = pieces.iter().map(|piece| piece.records.clone()).collect();
    let records = concat(&records)?;
    let held = Arc::new(budget.charge(held_bytes(&records)));
    let mut share = Share::default();
    let mut times = Timestamps::uniform(0, nervix_clock::DomainTime::default());
    let mut bytes = 0;
    for piece in pieces {
        share.append(piece.share);
        times.append(&piece.times);
        bytes += piece.bytes;
    }
    Ok(Piece {
        records,
        share,
        times,
        held,
        bytes,
        joined: true,
    })
}
