//! One trial: a destination, a door before it, a name for the door, a server that runs the graph, and a witness of all that it
//! shows.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use nervix_proto::client::v1::answer::Status;
use nervix_sink_testkit::TriedMode;
use nspl_model::RetryPolicy;

use super::graph::{TARGET, script};
use super::witness::Witness;
use super::{Arrival, Destination};
use crate::door::Door;
use crate::error_records::{ErrorRecord, error_records};
use crate::flight::{Put, statuses};
use crate::names::Names;
use crate::server::Nervix;
use crate::wait::{must, until};

/// A secret that may be seen nowhere.
pub const SECRET: &str = "s3cr3t-planted-in-config";
/// How the note of every record begins, which may be seen at the destination alone.
pub const VALUE: &str = "planted-value-of-a-record:";
/// The name that emitters find the destination by. No name server has one below `invalid`.
pub const NAME: &str = "destination.invalid";

/// ACK TIMEOUT where a trial is not about it.
const ACK_TIMEOUT: Duration = Duration::from_secs(30);
const RETRY: RetryPolicy = RetryPolicy {
    backoff: Duration::from_millis(100),
    max: Duration::from_secs(1),
};

/// See the module.
pub struct Trial<D> {
    /// The destination.
    pub destination: D,
    /// What stands before it.
    pub door: Door,
    /// Who knows where the door is.
    pub names: Names,
    /// What delivers to it.
    pub server: Nervix,
    /// The mode that it delivers in.
    pub mode: TriedMode,
    witness: Witness,
}

impl<D: Destination> Trial<D> {
    /// A provisioned destination behind an open door, and a server that runs the graph in this mode.
    pub async fn begin(mode: &str) -> Self {
        Self::begin_with(mode, ACK_TIMEOUT).await
    }

    /// The same with an ACK TIMEOUT, where the mode takes one.
    pub async fn begin_with(mode: &str, ack_timeout: Duration) -> Self {
        let (destination, door) = stand::<D>().await;
        let client = destination.client(&named(&door));
        Self::serve(destination, door, &client, mode, ack_timeout).await
    }

    /// A trial where nothing listens at first.
    pub async fn begin_absent(mode: &str) -> Self {
        let (destination, door) = provisioned::<D>().await;
        let client = destination.client(&named(&door));
        Self::serve(destination, door, &client, mode, ACK_TIMEOUT).await
    }

    /// A trial over TLS, by a name of the destination's.
    ///
    /// # Panics
    /// When it listens nowhere with TLS.
    pub async fn begin_secured(destination: D, name: &str, mode: &str) -> Self {
        let address = must("an address with TLS", destination.tls_address().ok_or("none"));
        let door = Door::before(&address).await;
        let client = destination.tls_client(&format!("{name}:{}", door.port()));
        Self::serve(destination, door, &client, mode, ACK_TIMEOUT).await
    }

    /// A server that runs the graph with this CLIENT.
    async fn serve(destination: D, door: Door, client: &str, mode: &str, ack_timeout: Duration) -> Self {
        let names = Names::new();
        names.say(NAME, Ipv4Addr::LOCALHOST);
        let server = Nervix::dev_with_names(&names).await;
        let witness = Witness::of(&server).await;
        let mode = TriedMode::named(D::KIND, mode);
        let clause = mode.clause(ack_timeout, RETRY).to_string();
        server.exec(&script(&destination, client, &clause));
        Self {
            destination,
            door,
            names,
            server,
            mode,
            witness,
        }
    }

    /// Looks everything over, ends, and leaves the destination.
    ///
    /// # Panics
    /// When a secret or a value is seen somewhere.
    pub async fn end(mut self) -> D {
        self.look().await;
        self.witness.saw(self.server.process().printed());
        self.witness.holds_none_of(&[SECRET, VALUE]);
        self.destination
    }

    /// Looks at all that a person can look at.
    pub async fn look(&self) {
        let (_, metrics) = self.server.page("/metrics").await;
        self.witness.saw(metrics);
        for statement in [
            "DESCRIBE EMITTER outbox; DESCRIBE CLIENT c;",
            "SHOW CREATE EMITTER outbox; SHOW CREATE CLIENT c;",
        ] {
            self.witness.saw(self.server.exec(&format!("USE d; {statement}")));
        }
    }

    /// Waits until an event tells of this.
    pub async fn until_told(&self, kind: &str) {
        self.witness.until_told(kind).await;
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
            let arrived: BTreeSet<i64> = self.ids().await.into_iter().collect();
            ids.iter().all(|id| arrived.contains(id)).then_some(())
        })
        .await;
    }

    /// Waits for so many error records.
    pub async fn failures(&self, count: usize) -> Vec<ErrorRecord> {
        let records = error_records(&self.server, count).await;
        self.witness.saw(format!("error records: {records:?}"));
        records
    }

    /// One line of DESCRIBE EMITTER.
    pub fn describe(&self, key: &str) -> Option<String> {
        let printed = self.server.exec("USE d; DESCRIBE EMITTER outbox;");
        let mut lines = printed.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(found, _)| found.trim() == key);
        let value = found.map(|(_, value)| value.trim().to_owned());
        self.witness.saw(printed);
        value
    }

    /// Waits until DESCRIBE EMITTER tells of a transient error.
    pub async fn until_troubled(&self) {
        self.until_troubled_by("").await;
    }

    /// Waits until it tells of one whose words, in lower case, hold this.
    pub async fn until_troubled_by(&self, what: &str) {
        until(
            &format!("DESCRIBE EMITTER tells of a trouble '{what}'"),
            || async {
                let error = self.describe("transient error")?;
                (error != "none" && error.to_lowercase().contains(what)).then_some(())
            },
        )
        .await;
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

/// A provisioned destination and an open door before it.
async fn stand<D: Destination>() -> (D, Door) {
    let (destination, mut door) = provisioned::<D>().await;
    door.arrive();
    (destination, door)
}

/// The same, with a door that is not there yet.
async fn provisioned<D: Destination>() -> (D, Door) {
    let destination = D::start().await;
    destination.provision(TARGET).await;
    let door = Door::absent(("127.0.0.1", destination.door_port()), &destination.address());
    (destination, door)
}

fn named(door: &Door) -> String {
    format!("{NAME}:{}", door.port())
}

/// Records of the suite's schema; a note that does not begin with [`VALUE`] has it before it.
pub(super) fn batch(records: &[(i64, &str)]) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(records.iter().map(|(id, _)| *id)));
    let planted = |note: &str| match note.starts_with(VALUE) {
        true => note.to_owned(),
        false => format!("{VALUE}{note}"),
    };
    let notes = records.iter().map(|(_, note)| planted(note));
    let notes: ArrayRef = Arc::new(StringArray::from_iter_values(notes));
    let named = [("id", ids, false), ("note", notes, false)];
    must("build a batch", RecordBatch::try_from_iter_with_nullable(named))
}
