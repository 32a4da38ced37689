//! Error records, as ON MESSAGE ERROR SEND TO builds them: read by a consumer of the emitter `failed` in the domain `d`.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::UInt32Type;

use crate::flight::Exchange;
use crate::rows::read_ids;
use crate::server::Nervix;
use crate::wait::must;

/// ON MESSAGE ERROR of an emitter whose error records are read.
pub const SEND_TO: &str = "SEND TO failures SET reference = error.reference, code = error.code,
    operation = error.operation, step = error.operation_index, fields = error.fields, message = error.message,
    id = input.id";

/// The statements of the error relay, with these keys, and of the emitter that error records leave by.
pub fn error_relay(keys: &str) -> String {
    format!(
        "CREATE SCHEMA failure (reference STRING, code STRING, operation STRING, step U32 OPTIONAL,
           fields VEC<STRING>, message STRING, id I64);
         CREATE RELAY failures SCHEMA failure {keys};
         CREATE EMITTER failed FROM failures TO CLIENT SCHEMA failure
           MODE ACK PARALLEL MAX 8 ACK TIMEOUT 30s RETRY POLICY BACKOFF 10ms MAX 100ms
           INHERIT ALL BATCH MAX MESSAGES 1000 MAX SIZE 1MiB FLUSH IMMEDIATE
           ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;"
    )
}

/// An error record; what its relay has no field for is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRecord {
    /// `input.id`, in a field `id`.
    pub id: i64,
    /// `error.reference`.
    pub reference: String,
    /// `error.code`.
    pub code: String,
    /// `error.operation`.
    pub operation: String,
    /// `error.operation_index`, in a field `step`.
    pub step: Option<u32>,
    /// `error.fields`.
    pub fields: Vec<String>,
    /// `error.message`.
    pub message: String,
}

impl ErrorRecord {
    /// What went wrong where, and the message: `validation invoke 1 tenant | a header's value holds no control characters`.
    pub fn told(&self) -> String {
        let mut words = vec![self.code.clone(), self.operation.clone()];
        words.extend(self.step.map(|step| step.to_string()));
        words.extend((!self.fields.is_empty()).then(|| self.fields.join(",")));
        format!("{} | {}", words.join(" "), self.message)
    }
}

/// Reads error records, and acknowledges them, until there are so many.
///
/// # Panics
/// When they do not come.
pub async fn error_records(server: &Nervix, count: usize) -> Vec<ErrorRecord> {
    let opened = Exchange::open(&server.ports().flight, "d", "failed").await;
    let mut failed = must("open a consumer", opened);
    failed.credit(8).await;
    let mut records = Vec::new();
    while records.len() < count {
        let (delivery, rows) = failed.delivery().await;
        failed.ack(&delivery.r#ref).await;
        failed.outcome(&delivery.r#ref).await;
        records.extend(read(&rows));
    }
    records
}

fn read(rows: &RecordBatch) -> Vec<ErrorRecord> {
    let text = |name: &str, row: usize| -> String {
        let column = rows
            .column_by_name(name)
            .and_then(|column| column.as_string_opt::<i32>());
        column.map_or_else(String::new, |column| column.value(row).to_owned())
    };
    let step = |row: usize| {
        let steps = rows.column_by_name("step")?.as_primitive_opt::<UInt32Type>()?;
        steps.is_valid(row).then(|| steps.value(row))
    };
    let fields = |row: usize| -> Option<Vec<String>> {
        let fields = rows.column_by_name("fields")?.as_list_opt::<i32>()?.value(row);
        let names = fields.as_string_opt::<i32>()?.iter().flatten();
        Some(names.map(str::to_owned).collect())
    };
    let ids = read_ids(rows).into_iter().enumerate();
    ids.map(|(row, id)| ErrorRecord {
        id,
        reference: text("reference", row),
        code: text("code", row),
        operation: text("operation", row),
        step: step(row),
        fields: fields(row).unwrap_or_default(),
        message: text("message", row),
    })
    .collect()
}
