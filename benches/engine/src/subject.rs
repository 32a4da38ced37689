//! What is measured: the text of an emitter, checked and compiled as in a worker, and a batch for it.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use nervix_clock::{DomainTime, Snapshot};
use nervix_columns::arrow_schema;
use nspl::model::{Definition, EmitterDef, EntityKey, EntityKind};
use nspl::{Catalog, check};

/// Rows of a batch.
pub(crate) const ROWS: usize = 65_536;

/// Fields of the source.
const SOURCE: &str = "n I64, x F64, t STRING, o I64 OPTIONAL";

/// An emitter and a batch of its source.
pub(crate) struct Subject {
    /// The emitter as a worker gets it.
    pub(crate) emitter: Arc<EmitterDef>,
    /// n I64, x F64, t STRING of ASCII, o I64 of which every seventh is null.
    pub(crate) batch: RecordBatch,
    /// What volatile functions read.
    pub(crate) snapshot: Snapshot,
}

impl Subject {
    /// The emitter of `FROM r <filter> TO CLIENT SCHEMA (<target>) ... <construction>`.
    ///
    /// # Panics
    /// When the checker refuses it: then nothing is measured.
    pub(crate) fn new(filter: &str, target: &str, construction: &str) -> Self {
        let script = format!(
            "CREATE UNPACED DOMAIN d; USE d; BEGIN;
             CREATE SCHEMA source ({SOURCE});
             CREATE SCHEMA target ({target});
             CREATE RELAY r SCHEMA source UNBRANCHED;
             CREATE EMITTER e FROM r {filter} TO CLIENT SCHEMA target
               MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 1s MAX 30s {construction}
               BATCH MAX MESSAGES 65536 MAX SIZE 64MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
             COMMIT;"
        );
        let report = check("engine.nspl", &script, None, &Catalog::default());
        let messages: Vec<String> = report
            .diagnostics
            .iter()
            .map(|found| format!("{} {}", found.code, found.message))
            .collect();
        assert!(!report.is_refused(), "{messages:?}: {script}");
        let key = EntityKey::new(EntityKind::Emitter, "e");
        let entity = report.plan.catalog.get("d", &key);
        let Some(Definition::Emitter(emitter)) = entity.map(|entity| &entity.definition) else {
            panic!("e is an emitter");
        };
        let snapshot = Snapshot {
            domain_time: DomainTime(0),
            seed: [0; 32],
        };
        Self {
            batch: source(emitter),
            emitter: emitter.clone(),
            snapshot,
        }
    }
}

fn source(emitter: &EmitterDef) -> RecordBatch {
    let numbers = (0..ROWS as i64).map(|row| row * 7919 % 1_000_003);
    let n = Int64Array::from_iter_values(numbers);
    let x = Float64Array::from_iter_values((0..ROWS).map(|row| row as f64 / ROWS as f64));
    let t = StringArray::from_iter_values(n.values().iter().map(|n| format!("Name-{}", n % 1000)));
    let o: Int64Array = (0..ROWS as i64)
        .map(|row| (row % 7 != 0).then_some(row))
        .collect();
    let columns: Vec<ArrayRef> = vec![Arc::new(n), Arc::new(x), Arc::new(t), Arc::new(o)];
    let schema = arrow_schema(&emitter.sources[0].relay.schema);
    match RecordBatch::try_new(schema, columns) {
        Ok(batch) => batch,
        Err(error) => panic!("the source is not of its schema: {error}"),
    }
}
