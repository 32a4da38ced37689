//! One trial: a destination, a door before it, and a server that runs the graph.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use nervix_proto::client::v1::Answer;
use nervix_proto::client::v1::answer::Status;

use super::graph::{TARGET, script};
use super::{Arrival, Destination};
use crate::door::Door;
use crate::flight::{Exchange, Put};
use crate::rows::read_ids;
use crate::server::Nervix;
use crate::wait::{must, until};

/// A secret that may be seen nowhere.
pub const SECRET: &str = "s3cr3t-planted-in-config";
/// A value of a record that may be seen at the destination alone.
pub const VALUE: &str = "planted-value-of-a-record";

/// ACK TIMEOUT where a trial is not about it.
const ACK_TIMEOUT: &str = "30s";

/// See the module.
pub struct Trial<D> {
    /// The destination.
    pub destination: D,
    /// What stands before it.
    pub door: Door,
    /// What delivers to it.
    pub server: Nervix,
}

/// An error record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failed {
    /// `error.reference`.
    pub(super) reference: String,
    /// `error.code`.
    pub(super) code: String,
    /// `error.operation`.
    pub(super) operation: String,
    /// `error.message`.
    pub(super) message: String,
    /// `input.id`.
    pub(super) id: i64,
}

impl<D: Destination> Trial<D> {
    /// A provisioned destination behind an open door, and a server that runs the graph.
    pub async fn begin() -> Self {
        Self::begin_with(ACK_TIMEOUT).await
    }

    /// The same with an ACK TIMEOUT, where the kind takes one.
    pub async fn begin_with(ack_timeout: &str) -> Self {
        let destination = D::start().await;
        destination.provision(TARGET).await;
        let door = Door::at(destination.door_port(), &destination.address()).await;
        Self::serve(destination, door, ack_timeout).await
    }

    /// A server that runs the graph against what stands behind the door.
    pub async fn serve(destination: D, door: Door, ack_timeout: &str) -> Self {
        let server = Nervix::dev().await;
        server.exec(&script(&destination, door.address(), ack_timeout));
        Self {
            destination,
            door,
            server,
        }
    }

    /// Opens a writer.
    pub async fn writer(&self) -> Put {
        let schema = batch(&[(0, "")]).schema();
        let opened = Put::open(&self.server.ports().flight, "d", "inbox", schema).await;
        must("open a writer", opened)
    }

    /// Writes records as one batch and waits for its answer.
    pub async fn write(&self, records: &[(i64, &str)]) -> Vec<Status> {
        let put = self.writer().await;
        must("write", put.write(batch(records)).await);
        statuses(must("finish", put.finish().await))
    }

    /// What has arrived.
    pub async fn arrived(&self) -> Vec<Arrival> {
        self.destination.arrived(TARGET).await
    }

    /// The ids that have arrived, in order, duplicates included.
    pub async fn ids(&self) -> Vec<i64> {
        self.arrived()
            .await
            .into_iter()
            .flat_map(|arrival| arrival.ids)
            .collect()
    }

    /// Waits until these ids are among what has arrived.
    pub async fn until_arrived(&self, ids: &[i64]) {
        until("the records have arrived", || async {
            let arrived = self.ids().await;
            ids.iter().all(|id| arrived.contains(id)).then_some(())
        })
        .await;
    }

    /// Opens a consumer of the error records.
    pub async fn failures(&self) -> Exchange {
        let opened = Exchange::open(&self.server.ports().flight, "d", "failed").await;
        must("open a consumer", opened)
    }

    /// One line of DESCRIBE EMITTER.
    pub fn describe(&self, key: &str) -> Option<String> {
        let printed = self.server.exec("USE d; DESCRIBE EMITTER outbox;");
        let mut lines = printed.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(found, _)| found.trim() == key);
        found.map(|(_, value)| value.trim().to_owned())
    }

    /// Waits until DESCRIBE EMITTER tells of a transient error, and gives it.
    pub async fn trouble(&self) -> String {
        until("DESCRIBE EMITTER tells of a transient error", || async {
            self.describe("transient error").filter(|error| error != "none")
        })
        .await
    }

    /// Waits until it tells of none.
    pub async fn until_well(&self) {
        until("the transient error is over", || async {
            let error = self.describe("transient error");
            (error.as_deref() == Some("none")).then_some(())
        })
        .await;
    }
}

/// The error records of the next delivery, acknowledged.
pub(super) async fn failed(consumer: &mut Exchange) -> Vec<Failed> {
    consumer.credit(1).await;
    let (delivery, rows) = consumer.delivery().await;
    consumer.ack(&delivery.r#ref).await;
    let text = |name: &str| -> Vec<String> {
        let column = rows
            .column_by_name(name)
            .and_then(|column| column.as_any().downcast_ref::<StringArray>());
        let column = must("read an error record", column.ok_or(name));
        column
            .iter()
            .map(|text| text.unwrap_or_default().to_owned())
            .collect()
    };
    let columns = (
        text("reference"),
        text("code"),
        text("operation"),
        text("message"),
    );
    let (references, codes, operations, messages) = columns;
    let texts = references
        .into_iter()
        .zip(codes)
        .zip(operations.into_iter().zip(messages));
    texts
        .zip(read_ids(&rows))
        .map(|(((reference, code), (operation, message)), id)| Failed {
            reference,
            code,
            operation,
            message,
            id,
        })
        .collect()
}

/// Records of the suite's schema.
pub(super) fn batch(records: &[(i64, &str)]) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(records.iter().map(|(id, _)| *id)));
    let notes: ArrayRef = Arc::new(StringArray::from_iter_values(
        records.iter().map(|(_, note)| *note),
    ));
    let named = [("id", ids, false), ("note", notes, false)];
    must("build a batch", RecordBatch::try_from_iter_with_nullable(named))
}

/// One status a written batch, in order.
pub(super) fn statuses(answers: Vec<Answer>) -> Vec<Status> {
    let mut statuses: Vec<(u64, Status)> = answers
        .into_iter()
        .flat_map(|answer| (answer.first..=answer.last).map(move |position| (position, answer.status())))
        .collect();
    statuses.sort_by_key(|(position, _)| *position);
    statuses.into_iter().map(|(_, status)| status).collect()
}
