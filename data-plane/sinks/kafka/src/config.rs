//! The settings of a TYPE KAFKA client, passed on to librdkafka by their exact names.
//!
//! Nothing of them is judged here but what Nervix itself has to know. What contradicts itself is refused by librdkafka when
//! a producer is made, in its own words. `Debug` shows the names alone.

use std::fmt;

use nervix_sink::{Failure, FailureKind, OpenError};
use nspl_model::{ClientDef, ConfigValue};
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};

use crate::limits::MESSAGE_BYTES_DEFAULT;

/// What producers are made of.
#[derive(Clone)]
pub(crate) struct KafkaConfig {
    properties: Vec<(String, String)>,
    /// `message.max.bytes`: the most that a record may take, with its key, headers and framing.
    pub(crate) message_max_bytes: usize,
    /// Whether the broker tells copies of a record apart.
    pub(crate) is_idempotent: bool,
}

impl KafkaConfig {
    /// Reads the settings; mounts in them are paths already.
    ///
    /// # Errors
    /// What a sink of this kind cannot do, or has to have.
    pub(crate) fn read(client: &ClientDef) -> Result<Self, OpenError> {
        let unfit = |what: &str| {
            let name = &client.name;
            let message = format!("Kafka client '{name}' {what}");
            OpenError::Unavailable(Failure::new(FailureKind::Missing, message))
        };
        if client.text("bootstrap.servers").is_none() {
            return Err(unfit("lacks 'bootstrap.servers'"));
        }
        if client.value("transactional.id").is_some() {
            return Err(unfit(
                "sets 'transactional.id', but emitters write no transactions: 'enable.idempotence' is what keeps copies away",
            ));
        }
        let properties = client
            .config
            .iter()
            .map(|(key, value)| (key.clone(), text(value)));
        let properties: Vec<(String, String)> = properties.collect();
        let value = |key: &str| properties.iter().find(|(known, _)| known == key);
        let message_max_bytes = value("message.max.bytes").and_then(|(_, bytes)| bytes.trim().parse().ok());
        let is_idempotent = value("enable.idempotence").is_some_and(|(_, word)| is_true(word));
        Ok(Self {
            message_max_bytes: message_max_bytes.unwrap_or(MESSAGE_BYTES_DEFAULT),
            is_idempotent,
            properties,
        })
    }

    /// The form that librdkafka takes. Its own lines of log stay away: what they tell comes as errors, too, and some of them
    /// name what no log of Nervix may.
    pub(crate) fn native(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        for (key, value) in &self.properties {
            config.set(key, value);
        }
        config.set_log_level(RDKafkaLogLevel::Emerg);
        config
    }
}

fn text(value: &ConfigValue) -> String {
    match value {
        ConfigValue::Text(text) | ConfigValue::Number(text) => text.clone(),
        ConfigValue::Bool(truth) => truth.to_string(),
    }
}

/// As librdkafka reads a boolean.
fn is_true(word: &str) -> bool {
    ["true", "t", "1"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

impl fmt::Debug for KafkaConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.properties.iter().map(|(key, _)| key.as_str()).collect();
        f.debug_struct("KafkaConfig")
            .field("properties", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use nspl_model::{ClientDef, ClientKind, ConfigValue};

    use super::KafkaConfig;

    fn client(config: &[(&str, ConfigValue)]) -> ClientDef {
        let config = config
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()));
        ClientDef {
            name: "k".to_owned(),
            kind: ClientKind::Kafka,
            pool: None,
            mount: None,
            config: config.collect(),
        }
    }

    fn text(text: &str) -> ConfigValue {
        ConfigValue::Text(text.to_owned())
    }

    #[test]
    fn properties_are_passed_on_as_they_are_and_none_is_shown() {
        let client = client(&[
            ("bootstrap.servers", text("h:9092")),
            ("sasl.password", text("hunter-2")),
            ("linger.ms", ConfigValue::Number("7".to_owned())),
            ("enable.idempotence", ConfigValue::Bool(true)),
            ("message.max.bytes", text("2000")),
        ]);
        let config = KafkaConfig::read(&client).expect("whole");
        let native = config.native();
        assert_eq!(native.get("linger.ms"), Some("7"));
        assert_eq!(native.get("sasl.password"), Some("hunter-2"));
        assert_eq!(native.get("enable.idempotence"), Some("true"));
        assert_eq!((config.message_max_bytes, config.is_idempotent), (2_000, true));
        let shown = format!("{config:?}");
        assert!(
            shown.contains("sasl.password") && !shown.contains("hunter-2"),
            "{shown}"
        );
    }

    #[test]
    fn what_no_emitter_can_do_is_refused_by_its_name() {
        let without = KafkaConfig::read(&client(&[("linger.ms", text("1"))]));
        let error = without.expect_err("no servers").to_string();
        assert!(error.contains("bootstrap.servers"), "{error}");
        let servers = ("bootstrap.servers", text("h:9092"));
        let error = KafkaConfig::read(&client(&[servers.clone(), ("transactional.id", text("t"))]));
        let error = error.expect_err("transactions").to_string();
        assert!(error.contains("transactional.id"), "{error}");
        let config = KafkaConfig::read(&client(&[servers])).expect("whole");
        assert_eq!(
            (config.message_max_bytes, config.is_idempotent),
            (1_000_000, false)
        );
    }
}
