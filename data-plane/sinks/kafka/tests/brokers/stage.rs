//! Brokers, and a sink that writes to them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use nervix_budget::Budget;
use nervix_clock::PhysicalClock;
use nervix_sink::{Headers, Lane, LaneId, Outcome, Payload, PayloadId, PayloadSink, World};
use nervix_sink_kafka::open_alone;
use nervix_tests::wait::within;
use nspl_model::{ClientDef, ClientKind, ConfigValue};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;

/// The topic that is written.
pub(crate) const TOPIC: &str = "out";

/// See the module.
pub(crate) struct Stage {
    pub(crate) brokers: MockCluster<'static, DefaultProducerContext>,
    pub(crate) budget: Budget,
    pub(crate) sink: Box<dyn PayloadSink>,
    lane: Arc<Lane>,
    _folder: tempfile::TempDir,
}

impl Stage {
    /// A sink that awaits reports, with more of CONFIG.
    pub(crate) async fn confirming(more: &[(&str, &str)]) -> Self {
        Self::open(more, Some(Duration::from_secs(30))).await
    }

    /// A sink of MODE NO_ACK.
    pub(crate) async fn unconfirmed(more: &[(&str, &str)]) -> Self {
        Self::open(more, None).await
    }

    async fn open(more: &[(&str, &str)], ack_timeout: Option<Duration>) -> Self {
        let brokers = MockCluster::new(1).expect("brokers");
        brokers.create_topic(TOPIC, 1, 1).expect("a topic");
        let servers = brokers.bootstrap_servers();
        let mut config = vec![("bootstrap.servers", servers.as_str())];
        config.extend(more);
        let config = config
            .into_iter()
            .map(|(key, value)| (key.to_owned(), ConfigValue::Text(value.to_owned())));
        let client = ClientDef {
            name: "brokers".to_owned(),
            kind: ClientKind::Kafka,
            pool: None,
            mount: None,
            config: config.collect(),
        };
        let folder = tempfile::tempdir().expect("a folder");
        let budget = Budget::new(1 << 30);
        let world = World {
            clock: PhysicalClock::system(),
            budget: budget.clone(),
            scratch: folder.path().to_owned(),
            node: "n".into(),
        };
        let sink = open_alone(&client, TOPIC, ack_timeout, world)
            .await
            .expect("a sink");
        let lane = Lane {
            id: LaneId(1),
            source: "events".into(),
            branch: "".into(),
            key: None,
        };
        Self {
            brokers,
            budget,
            sink,
            lane: Arc::new(lane),
            _folder: folder,
        }
    }

    /// Payloads with these numbers.
    pub(crate) fn payloads(&self, numbers: std::ops::Range<u64>) -> Vec<Arc<Payload>> {
        let payload = |number: u64| {
            Arc::new(Payload {
                id: PayloadId(u128::from(number)),
                lane: Arc::clone(&self.lane),
                sequence: number,
                rows: 1,
                head: Bytes::new(),
                body: Bytes::from(format!("payload {number}")),
                headers: Headers::default(),
                held: Budget::new(1).charge(0),
            })
        };
        numbers.map(payload).collect()
    }

    /// Publishes once and waits for the answers to what the sink took.
    pub(crate) async fn publish_once(&mut self, payloads: &[Arc<Payload>]) -> Vec<Outcome> {
        let confirmations = within("handing over", self.sink.publish(payloads)).await;
        within("the answers", futures::future::join_all(confirmations)).await
    }

    /// Publishes, what the sink leaves for later too, and waits for all answers.
    pub(crate) async fn publish(&mut self, payloads: &[Arc<Payload>]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        while outcomes.len() < payloads.len() {
            let taken = self.publish_once(&payloads[outcomes.len()..]).await;
            assert!(!taken.is_empty(), "nothing was out");
            outcomes.extend(taken);
        }
        outcomes
    }
}
