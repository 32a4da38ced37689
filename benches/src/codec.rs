//! Schemaful JSON beside arrow-json's line writer on the same batches, and what the limits of a batch cost.
//!
//! Both sides run in this process, in turns, and write all rows of a batch; what is written is dropped.

#![allow(clippy::unwrap_used, reason = "a measurement that cannot be set up must stop")]

use std::hint::black_box;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_json::LineDelimitedWriter;
use nervix_codec::{Jobs, Packing, PayloadEncoder, Place, Refused, Rows, encoder};
use nervix_columns::arrow_schema;
use nspl_model::{
    BatchLimits, CodecDef, CodecForm, DataType, Field, Schema, WireField, WireFormat, WireMode, WireSchemaDef,
};
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row};
use crate::runs::Runs;

/// Rows of a batch.
const ROWS: usize = 65_536;
/// Runs of each side, taken in turns.
const RUNS: usize = 15;
/// Rows a second beside arrow-json.
const AS_FAST: Bound = Bound::AtLeast(1.0);
/// Time under limits beside the time without.
const LIMITED: Bound = Bound::AtMost(1.1);
/// A size that no payload of these batches reaches.
const UNLIMITED: BatchLimits = BatchLimits {
    max_messages: BatchLimits::MESSAGES_MAX,
    max_bytes: 1 << 40,
};

/// Schemaful codecs run no jobs.
struct NoJobs;

impl Jobs for NoJobs {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        Err(Refused {
            message: "no job was expected".into(),
        })
    }
}

/// Columns that are measured together.
struct Case {
    what: &'static str,
    batch: RecordBatch,
    schema: Schema,
}

impl Case {
    fn new(what: &'static str, columns: Vec<(DataType, bool, ArrayRef)>) -> Self {
        let named = columns.iter().enumerate();
        let fields = named.map(|(index, (data_type, optional, _))| Field {
            name: format!("field_{index}"),
            data_type: data_type.clone(),
            optional: *optional,
            sensitive: false,
        });
        let schema = Schema {
            name: "measured".into(),
            fields: fields.collect(),
        };
        let arrays = columns.into_iter().map(|(_, _, array)| array).collect();
        let batch = RecordBatch::try_new(arrow_schema(&schema), arrays).unwrap();
        Self { what, batch, schema }
    }

    fn encoder(&self, limits: Option<BatchLimits>) -> Arc<dyn PayloadEncoder> {
        let outside = |field: &Field| WireField {
            name: field.name.clone(),
            wire_type: WireFormat::Json.types_of(&field.data_type)[0],
            optional: field.optional,
        };
        let wire = WireSchemaDef {
            name: "outside".into(),
            format: WireFormat::Json,
            mode: WireMode::Strict,
            fields: self.schema.fields.iter().map(outside).collect(),
        };
        let def = CodecDef {
            name: "measured".into(),
            schema: Arc::new(self.schema.clone()),
            form: CodecForm::Schemaful {
                wire: Arc::new(wire),
                rfc3339: Vec::new(),
            },
        };
        let jobs: Arc<dyn Jobs> = Arc::new(NoJobs);
        encoder(&def, None, limits, &jobs).unwrap()
    }

    /// Seconds to make payloads of the batch.
    fn nervix(&self, encoder: &dyn PayloadEncoder) -> f64 {
        let (mut took, mut covered) = (0.0, 0);
        while covered < ROWS {
            let rows = [Rows {
                records: self.batch.slice(covered, ROWS - covered),
                snapshot_ns: 0,
            }];
            let started = Instant::now();
            let Packing::Done(packed) = encoder.pack(&rows, usize::MAX) else {
                return f64::NAN;
            };
            took += started.elapsed().as_secs_f64();
            covered += black_box(&packed)
                .iter()
                .map(nervix_codec::Packed::rows)
                .sum::<usize>();
        }
        took
    }

    /// Seconds to write the batch as lines.
    fn arrow_json(&self) -> f64 {
        let started = Instant::now();
        let mut writer = LineDelimitedWriter::new(Vec::new());
        writer.write(&self.batch).unwrap();
        writer.finish().unwrap();
        let took = started.elapsed().as_secs_f64();
        black_box(writer.into_inner());
        took
    }
}

/// Rows a second of JSON, and the cost of MAX MESSAGES and MAX SIZE.
pub(crate) fn measure(report: &mut Report) {
    for case in cases() {
        beside_arrow_json(report, &case);
        beside_no_limits(report, &case);
    }
}

fn beside_arrow_json(report: &mut Report, case: &Case) {
    let forms = [
        ("one array", Some(UNLIMITED), AS_FAST),
        ("a payload each", None, Bound::Reported),
    ];
    for (form, limits, bound) in forms {
        let encoder = case.encoder(limits);
        let (ours, theirs) = in_turns(|| case.nervix(encoder.as_ref()), || case.arrow_json());
        report.row(Row {
            what: &format!("JSON of {}, {form}, beside arrow-json's lines", case.what),
            nervix: rate(&ours),
            beside: rate(&theirs),
            ratio: Some(Runs::of(
                ours.iter().zip(&theirs).map(|(ours, theirs)| theirs / ours),
            )),
            bound,
        });
    }
}

fn beside_no_limits(report: &mut Report, case: &Case) {
    let limits = |max_messages, max_bytes| BatchLimits {
        max_messages,
        max_bytes,
    };
    let cases = [
        ("MAX MESSAGES 500 MAX SIZE 1MiB", limits(500, 1 << 20)),
        (
            "halved to MAX SIZE 64KiB",
            limits(BatchLimits::MESSAGES_MAX, 64 << 10),
        ),
        ("halved to MAX SIZE 4KiB", limits(500, 4 << 10)),
    ];
    let unlimited = case.encoder(Some(UNLIMITED));
    for (form, limits) in cases {
        let limited = case.encoder(Some(limits));
        let (ours, bare) = in_turns(
            || case.nervix(limited.as_ref()),
            || case.nervix(unlimited.as_ref()),
        );
        report.row(Row {
            what: &format!("JSON of {}, {form}, beside no limits", case.what),
            nervix: rate(&ours),
            beside: rate(&bare),
            ratio: Some(Runs::of(ours.iter().zip(&bare).map(|(ours, bare)| ours / bare))),
            bound: LIMITED,
        });
    }
}

/// Seconds of each side; a first run of each is not counted.
fn in_turns(mut ours: impl FnMut() -> f64, mut theirs: impl FnMut() -> f64) -> (Vec<f64>, Vec<f64>) {
    ours();
    theirs();
    (0..RUNS).map(|_| (ours(), theirs())).unzip()
}

fn rate(seconds: &[f64]) -> String {
    let rates = Runs::of(seconds.iter().map(|seconds| ROWS as f64 / seconds / 1e6));
    rates.text(|rate| format!("{rate:.2}")) + " M rows/s"
}

fn cases() -> Vec<Case> {
    let mut dice = Dice(7);
    let mut integers = || {
        let values = (0..ROWS).map(|_| (dice.roll() >> dice.below(60)) as i64);
        (
            DataType::I64,
            false,
            Arc::new(values.collect::<Int64Array>()) as ArrayRef,
        )
    };
    let integers: Vec<_> = (0..6).map(|_| integers()).collect();
    let floats: Vec<_> = (0..6)
        .map(|_| (DataType::F64, false, floats(&mut dice)))
        .collect();
    let texts: Vec<_> = (0..6)
        .map(|_| (DataType::String, false, texts(&mut dice)))
        .collect();
    let small = (0..ROWS).map(|_| dice.below(1000) as i32).collect::<Int32Array>();
    let flags = (0..ROWS)
        .map(|_| Some(dice.below(2) == 0))
        .collect::<BooleanArray>();
    let notes = (0..ROWS)
        .map(|_| (dice.below(3) == 0).then(|| dice.text()))
        .collect::<StringArray>();
    let mixed = vec![
        integers[0].clone(),
        texts[0].clone(),
        (DataType::I32, false, Arc::new(small) as ArrayRef),
        floats[0].clone(),
        (DataType::Bool, false, Arc::new(flags) as ArrayRef),
        (DataType::String, true, Arc::new(notes) as ArrayRef),
    ];
    vec![
        Case::new("strings", texts),
        Case::new("integers", integers),
        Case::new("floats", floats),
        Case::new("mixed columns", mixed),
    ]
}

fn floats(dice: &mut Dice) -> ArrayRef {
    let values = (0..ROWS).map(|_| match dice.below(2) {
        0 => dice.below(1_000_000) as f64 / 100.0,
        _ => dice.roll() as f64 / dice.roll() as f64,
    });
    Arc::new(values.collect::<Float64Array>())
}

fn texts(dice: &mut Dice) -> ArrayRef {
    Arc::new(StringArray::from_iter_values((0..ROWS).map(|_| dice.text())))
}

/// Numbers that follow from a seed (splitmix64), the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 27)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }

    /// Mostly words, one in sixteen with something to escape.
    fn text(&mut self) -> String {
        let long = "a line of text as people and programs write them, and not a short one";
        let length = self.below(long.len() as u64) as usize;
        let mut text: String = long.chars().take(length).collect();
        if self.below(16) == 0 {
            text.push_str("\"\n");
        }
        text
    }
}
