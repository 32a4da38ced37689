//! Topics, as an operator makes them and as a consumer reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{Headers, Message};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::Kafka;
use crate::wait::{PATIENCE, must};

/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(20);

/// A record as a consumer reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// Its partition.
    pub partition: i32,
    /// Its place there.
    pub offset: i64,
    /// The key; none is not the empty one.
    pub key: Option<Vec<u8>>,
    /// The value.
    pub value: Vec<u8>,
    /// The headers in their order; a value of none is not the empty one.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
}

impl Kafka {
    /// Makes a topic with these settings of its own. Of three nodes the second leads it, and all have it: the first, which
    /// is the controller, can stay while others go.
    ///
    /// # Panics
    /// When the cluster does not make it.
    pub async fn create_topic(&self, name: &str, partitions: usize, settings: &[(&str, &str)]) {
        let admin: AdminClient<DefaultClientContext> = must("make an administrator", self.config().create());
        let nodes: &[&[i32]] = if self.nodes.len() < 3 {
            &[&[1]]
        } else {
            &[&[2, 3, 1]]
        };
        let nodes = nodes.repeat(partitions);
        let count = must("few partitions", i32::try_from(partitions));
        let mut topic = NewTopic::new(name, count, TopicReplication::Variable(&nodes));
        for (key, value) in settings {
            topic = topic.set(key, value);
        }
        let made = must("make a topic", admin.create_topics([&topic], &options()).await);
        for result in made {
            must("make a topic", result);
        }
    }

    /// Deletes a topic with all that is in it.
    ///
    /// # Panics
    /// When the cluster does not.
    pub async fn delete_topic(&self, name: &str) {
        let admin: AdminClient<DefaultClientContext> = must("make an administrator", self.config().create());
        let deleted = must("delete a topic", admin.delete_topics(&[name], &options()).await);
        for result in deleted {
            must("delete a topic", result);
        }
    }

    /// The names of all topics but Kafka's own.
    ///
    /// # Panics
    /// When the cluster does not answer.
    pub async fn topics(&self) -> BTreeSet<String> {
        let config = self.config();
        let asked = tokio::task::spawn_blocking(move || {
            let consumer: BaseConsumer = must("make a consumer", config.create());
            let metadata = must("ask for the topics", consumer.fetch_metadata(None, REQUEST));
            let names = metadata.topics().iter().map(|topic| topic.name().to_owned());
            names.filter(|name| !name.starts_with("__")).collect()
        });
        must("ask for the topics", asked.await)
    }

    /// Everything that is in a topic now, partition after partition, in order.
    ///
    /// # Panics
    /// When it cannot be read.
    pub async fn read(&self, topic: &str) -> Vec<Read> {
        let (config, topic) = (self.config(), topic.to_owned());
        let reading = tokio::task::spawn_blocking(move || read(&config, &topic));
        must("read a topic", reading.await)
    }

    fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", self.address())
            .set("group.id", "reader")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .set("fetch.wait.max.ms", "10");
        config
    }
}

fn options() -> AdminOptions {
    AdminOptions::new()
        .operation_timeout(Some(REQUEST))
        .request_timeout(Some(REQUEST))
}

fn read(config: &ClientConfig, topic: &str) -> Vec<Read> {
    let consumer: BaseConsumer = must("make a consumer", config.create());
    let metadata = must("ask for a topic", consumer.fetch_metadata(Some(topic), REQUEST));
    let partitions = metadata.topics().iter().flat_map(|topic| topic.partitions());
    let mut list = TopicPartitionList::new();
    let mut unread = BTreeSet::new();
    for partition in partitions {
        must(
            "list a partition",
            list.add_partition_offset(topic, partition.id(), Offset::Beginning),
        );
        unread.insert(partition.id());
    }
    assert!(!unread.is_empty(), "topic {topic} is there");
    must("assign a topic", consumer.assign(&list));
    let mut read: BTreeMap<i32, Vec<Read>> = BTreeMap::new();
    let end = now() + PATIENCE;
    while !unread.is_empty() {
        assert!(now() < end, "topic {topic} could not be read in {PATIENCE:?}");
        match consumer.poll(Duration::from_millis(100)) {
            Some(Ok(message)) => read.entry(message.partition()).or_default().push(Read {
                partition: message.partition(),
                offset: message.offset(),
                key: message.key().map(<[u8]>::to_vec),
                value: message.payload().unwrap_or_default().to_vec(),
                headers: headers(&message),
            }),
            Some(Err(KafkaError::PartitionEOF(partition))) => {
                unread.remove(&partition);
            }
            // A broker that is not there yet is asked again.
            Some(Err(_)) | None => {}
        }
    }
    read.into_values().flatten().collect()
}

fn headers(message: &impl Message) -> Vec<(String, Option<Vec<u8>>)> {
    let headers = message.headers().into_iter().flat_map(Headers::iter);
    headers
        .map(|header| (header.key.to_owned(), header.value.map(<[u8]>::to_vec)))
        .collect()
}

#[allow(
    clippy::disallowed_methods,
    reason = "the thread that polls has no clock but the system's"
)]
fn now() -> Instant {
    Instant::now()
}
