//! Members whose sizes add up, prepared once each.
//!
//! A member's value is made and written when it is asked for its fault, since only then is it known whether the format can
//! write it. What is written is kept for the payload, up to one MAX SIZE: beyond that it would not get into this payload,
//! and it is made again for the next.

use std::collections::VecDeque;

use super::{BoundedWriter, Full, Maker, Members, RecordFault, WriteFault, unwritable};

pub(super) struct Prepared<'a> {
    maker: Maker<'a>,
    limit: usize,
    /// Members with their rows, ascending.
    kept: VecDeque<(usize, Vec<u8>)>,
    kept_bytes: usize,
    out: BoundedWriter,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(maker: Maker<'a>, max_bytes: u64) -> Self {
        Self {
            maker,
            limit: usize::try_from(max_bytes).unwrap_or(usize::MAX),
            kept: VecDeque::new(),
            kept_bytes: 0,
            out: BoundedWriter::default(),
        }
    }

    fn keep(&mut self, row: usize) {
        let bytes = self.out.bytes();
        if self.kept_bytes + bytes.len() <= self.limit {
            self.kept_bytes += bytes.len();
            self.kept.push_back((row, bytes.to_vec()));
        }
    }

    /// Forgets what is before a row: the packer has taken it.
    fn pass(&mut self, row: usize) {
        while let Some((_, bytes)) = self.kept.pop_front_if(|(kept, _)| *kept < row) {
            self.kept_bytes -= bytes.len();
        }
    }
}

impl Members for Prepared<'_> {
    fn rows(&self) -> usize {
        self.maker.lane.rows()
    }

    fn fault(&mut self, row: usize) -> Option<RecordFault> {
        let format = &self.maker.codec.format;
        let (out, limit) = (&mut self.out, self.limit);
        out.truncate(0);
        out.allow(limit);
        let fits = self
            .maker
            .member(row, |value| match format.write_member(&value, out) {
                Ok(()) => Ok(true),
                // Its size is a matter of packing.
                Err(WriteFault::Full) => Ok(false),
                Err(WriteFault::Value(what)) => Err(unwritable(format.name(), what)),
            });
        match fits {
            Ok(true) => {
                self.keep(row);
                None
            }
            Ok(false) => None,
            Err(fault) => Some(fault),
        }
    }

    fn write(&mut self, row: usize, out: &mut BoundedWriter) -> Result<(), Full> {
        self.pass(row);
        if let Some((_, bytes)) = self.kept.front().filter(|(kept, _)| *kept == row) {
            return out.write(bytes);
        }
        let format = &self.maker.codec.format;
        let written = self
            .maker
            .member(row, |value| Ok(format.write_member(&value, out)));
        // A program makes the same of the same: what it made once it makes again.
        match written {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Full),
        }
    }
}
