//! What it costs that programs run in other processes: the cost of a record there beside the cost in this thread.
//!
//! Both sides pack the same records through the same codec, in turns; the process runs on the core of this one, so that
//! the figures are of work and not of waiting.

#![allow(clippy::unwrap_used, reason = "a measurement that cannot be set up must stop")]

use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use nervix_clock::PhysicalClock;
use nervix_codec::{InThread, Jobs, Packed, Packing, PayloadEncoder, Rows, encoder};
use nervix_columns::arrow_schema;
use nervix_extension::{ExtensionLimits, Pool};
use nspl_model::{BatchLimits, CodecDef, CodecForm, DataType, Field, JaqFormat, JaqPrograms, Schema};
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row};
use crate::runs::Runs;

/// Records of a call.
const ROWS: usize = 4_096;
/// Runs of each side, taken in turns.
const RUNS: usize = 9;
/// Payloads that a call asks for.
const PAYLOADS: usize = 4_096;

/// A codec and how its records are batched.
struct Case {
    what: &'static str,
    emitting: &'static str,
    batch: Option<&'static str>,
    limits: Option<BatchLimits>,
}

const LIMITS: Option<BatchLimits> = Some(BatchLimits {
    max_messages: 512,
    max_bytes: 1 << 20,
});

const CASES: [Case; 4] = [
    Case {
        what: "a payload for each record",
        emitting: "{payload: .}",
        batch: None,
        limits: None,
    },
    Case {
        what: "batches of 512",
        emitting: "{payload: .}",
        batch: None,
        limits: LIMITS,
    },
    Case {
        what: "batches of 512 by ON EMITTING BATCH",
        emitting: "{payload: .}",
        batch: Some("{count: length, events: .}"),
        limits: LIMITS,
    },
    Case {
        what: "batches of 512, a larger program",
        emitting: "{id, kind: (if .price > 100 then \"large\" else \"small\" end), words: (.text | split(\" \") | map(ascii_upcase))}",
        batch: None,
        limits: LIMITS,
    },
];

/// Measures both sides.
pub(crate) async fn measure(report: &mut Report) {
    let limits = ExtensionLimits::of_workers(NonZeroUsize::MIN);
    let pool: Arc<dyn Jobs> = Arc::new(Pool::new(limits, PhysicalClock::system()));
    let thread: Arc<dyn Jobs> = Arc::new(InThread);
    let rows = rows();
    for case in CASES {
        let (there, here) = (case.encoder(&pool), case.encoder(&thread));
        // The process starts, and both sides compile.
        let _warm = (
            nanos_a_record(&*there, &rows).await,
            nanos_a_record(&*here, &rows).await,
        );
        let mut pairs = Vec::new();
        for _ in 0..RUNS {
            pairs.push((
                nanos_a_record(&*there, &rows).await,
                nanos_a_record(&*here, &rows).await,
            ));
        }
        let figure = |side: Vec<f64>| Runs::of(side).text(|nanos| format!("{nanos:.0}")) + " ns a record";
        report.row(Row {
            what: &format!("jaq JSON in an extension worker, {}", case.what),
            nervix: figure(pairs.iter().map(|(there, _)| *there).collect()),
            beside: format!(
                "in thread: {}",
                figure(pairs.iter().map(|(_, here)| *here).collect())
            ),
            ratio: Some(Runs::of(pairs.iter().map(|(there, here)| there / here))),
            bound: Bound::Reported,
        });
    }
}

impl Case {
    fn encoder(&self, jobs: &Arc<dyn Jobs>) -> Arc<dyn PayloadEncoder> {
        let def = CodecDef {
            name: "measured".to_owned(),
            schema: Arc::new(schema()),
            form: CodecForm::Jaq {
                format: JaqFormat::Json,
                programs: JaqPrograms {
                    ingestion: None,
                    emitting: Some(self.emitting.to_owned()),
                    emitting_batch: self.batch.map(str::to_owned),
                },
            },
        };
        encoder(&def, None, self.limits, jobs).unwrap()
    }
}

async fn nanos_a_record(encoder: &dyn PayloadEncoder, rows: &[Rows]) -> f64 {
    let started = Instant::now();
    let packed = match encoder.pack(rows, PAYLOADS) {
        Packing::Done(packed) => packed,
        Packing::Job(job) => job.await.unwrap(),
    };
    let covered: usize = packed.iter().map(Packed::rows).sum();
    started.elapsed().as_nanos() as f64 / covered as f64
}

fn schema() -> Schema {
    let field = |name: &str, data_type: DataType| Field {
        name: name.to_owned(),
        data_type,
        optional: false,
        sensitive: false,
    };
    Schema {
        name: "measured".to_owned(),
        fields: vec![
            field("id", DataType::I64),
            field("price", DataType::F64),
            field("text", DataType::String),
        ],
    }
}

fn rows() -> Vec<Rows> {
    let numbers = 0..ROWS as i64;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(numbers.clone().collect::<Int64Array>()),
        Arc::new(
            numbers
                .clone()
                .map(|n| Some(n as f64 / 7.0))
                .collect::<Float64Array>(),
        ),
        Arc::new(
            numbers
                .map(|n| Some(format!("order {n} of a customer with \"quotes\"")))
                .collect::<StringArray>(),
        ),
    ];
    vec![Rows {
        records: RecordBatch::try_new(arrow_schema(&schema()), columns).unwrap(),
        snapshot_ns: 0,
    }]
}
