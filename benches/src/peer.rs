//! The clients of a measurement: one writer that sends messages encoded beforehand, one consumer that decodes and
//! acknowledges. The same code drives Nervix and the baseline.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::SchemaRef;
use arrow_flight::FlightData;
use nervix_proto::client::v1::Delivery;
use nervix_tests::flight::{Event, Exchange, Put, encode};
use nervix_tests::wait::must;

/// A batch of `(id, sent, payload)` whose payloads have `width` bytes; ids count from `first`.
pub(crate) fn batch(first: i64, rows: i64, width: usize, sent: i64) -> RecordBatch {
    let payload = "x".repeat(width);
    let columns: [(&str, ArrayRef, bool); 3] = [
        (
            "id",
            Arc::new(Int64Array::from_iter_values(first..first + rows)),
            false,
        ),
        (
            "sent",
            Arc::new(Int64Array::from_iter_values((0..rows).map(|_| sent))),
            false,
        ),
        (
            "payload",
            Arc::new(StringArray::from_iter_values((0..rows).map(|_| payload.as_str()))),
            false,
        ),
    ];
    must("build a batch", RecordBatch::try_from_iter_with_nullable(columns))
}

/// A batch of `rows` rows whose ids go round over `branches` values, starting with the `first`-th.
pub(crate) fn keyed(first: i64, rows: i64, branches: i64) -> RecordBatch {
    let columns: [(&str, ArrayRef, bool); 3] = [
        (
            "id",
            Arc::new(Int64Array::from_iter_values(
                (first..first + rows).map(|n| n % branches),
            )),
            false,
        ),
        (
            "sent",
            Arc::new(Int64Array::from_iter_values((0..rows).map(|_| 0))),
            false,
        ),
        (
            "payload",
            Arc::new(StringArray::from_iter_values(
                (0..rows).map(|_| "twenty bytes or more"),
            )),
            false,
        ),
    ];
    must("build a batch", RecordBatch::try_from_iter_with_nullable(columns))
}

/// The values of column `sent`.
pub(crate) fn sent(batch: &RecordBatch) -> Vec<i64> {
    let column = batch
        .column_by_name("sent")
        .and_then(|column| column.as_any().downcast_ref::<Int64Array>());
    column.map(|sent| sent.values().to_vec()).unwrap_or_default()
}

/// The schema of [`batch`].
pub(crate) fn schema() -> SchemaRef {
    batch(0, 0, 0, 0).schema()
}

/// One record-batch message, encoded.
pub(crate) fn message(batch: RecordBatch) -> FlightData {
    encode(&schema(), batch).remove(1)
}

/// Opens a writer.
pub(crate) async fn put(address: &str) -> Put {
    must("open a writer", Put::open(address, "d", "inbox", schema()).await)
}

/// Opens both ends.
pub(crate) async fn open(address: &str) -> (Put, Exchange) {
    let put = put(address).await;
    let exchange = must("open a consumer", Exchange::open(address, "d", "outbox").await);
    (put, exchange)
}

/// Reads answers until all `batches` are answered, so that unread answers hold nothing up.
pub(crate) async fn read_answers(mut put: Put, batches: u64) -> Put {
    let mut answered = 0;
    while answered < batches {
        match must("an answer", put.answer().await) {
            Some(answer) => answered += answer.last - answer.first + 1,
            None => panic!("the stream ended after {answered} of {batches} answers"),
        }
    }
    put
}

/// The next delivery. What became of earlier answers is read and dropped: kept, it would be searched again and again.
pub(crate) async fn delivery(exchange: &mut Exchange) -> (Delivery, RecordBatch) {
    loop {
        match must("the exchange goes on", exchange.next().await) {
            Some(Event::Delivery(delivery, batch)) => return (delivery, batch),
            Some(Event::Outcome(_) | Event::Revoked(_)) => {}
            None => panic!("the stream ended while a delivery was expected"),
        }
    }
}

/// Consumes and acknowledges until `rows` rows have come.
pub(crate) async fn consume(exchange: &mut Exchange, rows: usize) {
    let mut seen = 0;
    while seen < rows {
        let (delivery, batch) = delivery(exchange).await;
        seen += batch.num_rows();
        exchange.ack(&delivery.r#ref).await;
    }
}

/// The sending half alone.
pub(crate) async fn send(
    sender: &tokio::sync::mpsc::Sender<FlightData>,
    messages: &[FlightData],
    times: usize,
) {
    for message in messages.iter().cycle().take(times) {
        if sender.send(message.clone()).await.is_err() {
            panic!("the stream ended while writing");
        }
    }
}
