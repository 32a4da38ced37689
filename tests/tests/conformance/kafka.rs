//! The suite on a real Apache Kafka of one node.

use std::collections::BTreeSet;

use bytes::Bytes;
use nervix_tests::conformance;
use nervix_tests::conformance::{Arrival, Destination, SECRET, VALUE};
use nervix_tests::kafka::Kafka;
use nspl_model::SinkKind;

/// The largest batch that the topic takes.
const TOPIC_BYTES: usize = 100_000;
/// The largest record that the client sends.
const CLIENT_BYTES: usize = 200_000;

/// The cluster of a trial.
struct Cluster(Kafka);

fn client(address: &str, more: &str) -> String {
    format!(
        "TYPE KAFKA CONFIG {{ 'bootstrap.servers' = '{address}', 'sasl.password' = '{SECRET}',
           'message.max.bytes' = {CLIENT_BYTES}, 'enable.idempotence' = TRUE,
           'reconnect.backoff.max.ms' = 500 {more} }}"
    )
}

impl Destination for Cluster {
    const KIND: SinkKind = SinkKind::Kafka;
    const TELLS_COPIES_APART: bool = true;

    async fn start() -> Self {
        Self(Kafka::start().await)
    }

    fn address(&self) -> String {
        self.0.behind_door()
    }

    fn door_port(&self) -> u16 {
        self.0.door_port()
    }

    /// Without SASL the password is sent to nobody. Order over an outage is kept by idempotence.
    fn client(&self, address: &str) -> String {
        client(address, "")
    }

    fn tls_address(&self) -> Option<String> {
        Some(self.0.tls())
    }

    fn tls_client(&self, address: &str) -> String {
        let ca = self.0.ca_file();
        let tls = format!(
            ", 'security.protocol' = 'ssl', 'ssl.ca.location' = '{}'",
            ca.display()
        );
        client(address, &tls)
    }

    fn sink(&self, target: &str, mode: &str) -> String {
        format!("KAFKA c TOPIC {target} MODE {mode} ENCODE USING event_json INHERIT ALL")
    }

    async fn provision(&self, target: &str) {
        let limit = TOPIC_BYTES.to_string();
        let limit = [("max.message.bytes", limit.as_str())];
        self.0.create_topic(target, 1, &limit).await;
    }

    async fn arrived(&self, target: &str) -> Vec<Arrival> {
        let read = self.0.read(target).await.into_iter();
        read.map(|record| {
            let value: serde_json::Value = serde_json::from_slice(&record.value).expect("JSON");
            Arrival {
                ids: vec![value["id"].as_i64().expect("an id")],
                bytes: Bytes::from(record.value),
            }
        })
        .collect()
    }

    async fn inventory(&self) -> BTreeSet<String> {
        self.0.topics().await
    }

    fn refused_note(&self) -> Option<String> {
        Some(VALUE.to_owned() + &"r".repeat(TOPIC_BYTES))
    }

    fn oversize_note(&self) -> Option<String> {
        Some(VALUE.to_owned() + &"o".repeat(CLIENT_BYTES))
    }

    async fn kill(&mut self) {
        self.0.kill(1);
    }

    async fn start_again(&mut self) {
        self.0.start_again(1).await;
    }
}

conformance!(Cluster {
    no_ack: [sized],
    ack_sequential: [confirming, refusing, sized, secured],
    ack_parallel: [confirming, refusing, sized, secured],
});
