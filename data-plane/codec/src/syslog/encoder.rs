//! Records to frames, on the spot: no program is involved.

use bytes::Bytes;
use nspl_model::{BatchLimits, Schema};

use super::fields::{Columns, Fields, Record};
use crate::bounded::{BoundedWriter, Full};
use crate::container::SyslogBatch;
use crate::encode::{Packed, Packing, PayloadEncoder, Rows};
use crate::fault::RecordFault;
use crate::native::json;
use crate::packing::{Members, pack_batches};
use crate::results::{Enough, Results};

/// Encodes frames.
pub(crate) struct SyslogEncoder {
    fields: Fields,
    limits: Option<BatchLimits>,
}

impl SyslogEncoder {
    /// `None` when the schema is not one of syslog records.
    pub(crate) fn new(schema: &Schema, limits: Option<BatchLimits>) -> Option<Self> {
        let fields = Fields::of(schema)?;
        Some(Self { fields, limits })
    }
}

impl PayloadEncoder for SyslogEncoder {
    fn pack(&self, rows: &[Rows], payloads_max: usize) -> Packing {
        let lane = Lane::of(&self.fields, rows);
        Packing::Done(match self.limits {
            None => singly(&lane, payloads_max),
            Some(limits) => in_batches(&lane, limits, payloads_max),
        })
    }
}

/// All runs behind each other.
struct Lane<'a> {
    /// With the first row of each.
    runs: Vec<(usize, Columns<'a>)>,
    rows: usize,
}

impl<'a> Lane<'a> {
    fn of(fields: &Fields, rows: &'a [Rows]) -> Lane<'a> {
        let mut count = 0;
        let runs = rows.iter().map(|run| {
            let first = count;
            count += run.records.num_rows();
            (first, Columns::of(fields, &run.records))
        });
        let runs = runs.collect();
        Lane { runs, rows: count }
    }

    fn record(&self, row: usize) -> Option<Record<'a>> {
        let after = self.runs.partition_point(|(first, _)| *first <= row);
        let (first, columns) = self.runs.get(after.checked_sub(1)?)?;
        (row < self.rows).then(|| columns.record(row - first))
    }
}

fn singly(lane: &Lane<'_>, payloads_max: usize) -> Vec<Packed> {
    let mut results = Results::new(Enough::of_call(payloads_max, None));
    for record in (0..lane.rows).filter_map(|row| lane.record(row)) {
        if !results.wants_more() {
            break;
        }
        results.push(match record.fault() {
            Some(fault) => Packed::rejected(fault),
            None => Packed::Payload {
                rows: 1,
                left_out: Vec::new(),
                bytes: Bytes::from(record.frame()),
            },
        });
    }
    results.into_made()
}

fn in_batches(lane: &Lane<'_>, limits: BatchLimits, payloads_max: usize) -> Vec<Packed> {
    let enough = Enough::of_call(payloads_max, Some(limits));
    let first_alone = Enough {
        payloads: 1,
        ..enough
    };
    let (mut results, mut from) = (Results::new(enough), 0);
    while results.wants_more()
        && let Some(first) = lane.record(from)
    {
        let packed = match first.fault() {
            Some(fault) => vec![Packed::rejected(fault)],
            None => {
                let mut members = Shared::new(lane, from, first, limits);
                let container = SyslogBatch::new(&first.header());
                pack_batches(&mut members, &container, limits, "SYSLOG", first_alone)
            }
        };
        from += packed.iter().map(Packed::rows).sum::<usize>();
        packed.into_iter().for_each(|packed| results.push(packed));
    }
    results.into_made()
}

/// The records from one on that share its header, with those between them that have no frame.
struct Shared<'a> {
    lane: &'a Lane<'a>,
    from: usize,
    rows: usize,
}

impl<'a> Shared<'a> {
    fn new(lane: &'a Lane<'a>, from: usize, first: Record<'_>, limits: BatchLimits) -> Self {
        let (mut rows, mut members, most) = (0, 0, limits.max_messages as usize);
        while members < most
            && let Some(record) = lane.record(from + rows)
        {
            if record.fault().is_none() {
                if !record.shares_header(&first) {
                    break;
                }
                members += 1;
            }
            rows += 1;
        }
        Self { lane, from, rows }
    }
}

impl Members for Shared<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn fault(&mut self, row: usize) -> Option<RecordFault> {
        self.lane.record(self.from + row)?.fault()
    }

    fn write(&mut self, row: usize, out: &mut BoundedWriter) -> Result<(), Full> {
        let record = self.lane.record(self.from + row).ok_or(Full)?;
        // A frame is text, so that only its length can be a fault.
        json::write_text(record.frame().as_bytes(), out).map_err(|_| Full)
    }
}
