//! What the suite needs of a destination.

use std::collections::BTreeSet;
use std::future::Future;

use bytes::Bytes;
use nspl_model::SinkKind;

/// One unit of work as the destination has it: a message, a request, a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The records in it, by their `id`.
    pub ids: Vec<i64>,
    /// Its bytes; of a row its text.
    pub bytes: Bytes,
}

/// A real destination on this machine, started by the test and ended with it.
///
/// Records are `(id I64, note STRING)`. Everything is written in NSPL as a person would; nothing is mocked.
pub trait Destination: Sized + Send + Sync {
    /// Which it is.
    const KIND: SinkKind;

    /// Whether it knows what it has already when that is sent again, so that no copy of it is seen.
    const TELLS_COPIES_APART: bool = false;

    /// Starts the server on free ports of the loopback and waits until it is ready.
    fn start() -> impl Future<Output = Self> + Send;

    /// Where it listens, `host:port`.
    fn address(&self) -> String;

    /// Where a door has to stand before it, for a kind that tells its clients where to come: at [`super::NAME`], and at this
    /// port. 0 where any port will do.
    fn door_port(&self) -> u16 {
        0
    }

    /// What follows CREATE CLIENT c, to reach it at `address` (a door stands before it). A secret, where the kind has
    /// one, is [`super::SECRET`] or makes the server refuse nothing.
    fn client(&self, address: &str) -> String;

    /// Where it listens with TLS, where its kind can: with a certificate for `localhost` and no other name.
    fn tls_address(&self) -> Option<String> {
        None
    }

    /// As [`Destination::client`], over TLS and trusting nobody but the issuer of that certificate.
    fn tls_client(&self, address: &str) -> String {
        self.client(address)
    }

    /// Statements that the emitter refers to: wire schemas and codecs over SCHEMA event.
    fn codecs(&self) -> String {
        "CREATE WIRE JSON SCHEMA event_wire MODE STRICT (id integer, note string);
         CREATE CODEC event_json FROM WIRE JSON SCHEMA event_wire TO SCHEMA event;"
            .to_owned()
    }

    /// What stands between TO and BATCH or FLUSH: the clause of the sink for `target`, MODE with this, the codec or VALUES, and
    /// the construction.
    fn sink(&self, target: &str, mode: &str) -> String;

    /// BATCH, where the kind needs or takes one.
    fn batch(&self) -> &'static str {
        ""
    }

    /// Makes the topic, queue or table, as an operator would.
    fn provision(&self, target: &str) -> impl Future<Output = ()> + Send;

    /// Everything that has arrived in a target, in its order, duplicates included.
    fn arrived(&self, target: &str) -> impl Future<Output = Vec<Arrival>> + Send;

    /// The names of all that it has: topics, tables.
    fn inventory(&self) -> impl Future<Output = BTreeSet<String>> + Send;

    /// A note that the destination refuses for good in a record of its own, where there is one: a value that breaks a
    /// constraint of [`Destination::provision`]. It begins with [`super::VALUE`], and so does the next.
    fn refused_note(&self) -> Option<String> {
        None
    }

    /// A note that makes a record larger than the destination takes, where it has a limit.
    fn oversize_note(&self) -> Option<String> {
        None
    }

    /// Ends the server as a crash would; its data stay.
    fn kill(&mut self) -> impl Future<Output = ()> + Send;

    /// Starts it again at the same address with the same data.
    fn start_again(&mut self) -> impl Future<Output = ()> + Send;
}
