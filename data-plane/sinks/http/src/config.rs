//! The settings of a TYPE HTTP client, read for sending.

use std::fmt;
use std::time::Duration;

use nervix_net::{Endpoint, TlsFiles};
use nervix_sink::{Failure, FailureKind, OpenError};
use nspl_model::http::Origin;
use nspl_model::{ClientDef, ConfigValue};

/// Where requests go, and within which bounds. `Debug` shows the origin alone.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct HttpConfig {
    /// Host and port to connect to.
    pub(crate) endpoint: Endpoint,
    /// The value of the Host header: the port stands in it only when it is not the scheme's.
    pub(crate) host: String,
    /// The files of TLS, for an https origin.
    pub(crate) tls: Option<TlsFiles>,
    /// `timeout_ms`: bounds an attempt from resolving the name to complete final headers.
    pub(crate) timeout: Duration,
}

impl HttpConfig {
    /// Reads the settings; mounts in them are paths already.
    ///
    /// # Errors
    /// Which setting is missing. Validation refuses such a client.
    pub(crate) fn read(client: &ClientDef) -> Result<Self, OpenError> {
        let lacks = |what: &str| {
            let name = &client.name;
            OpenError::Unavailable(Failure::new(
                FailureKind::Missing,
                format!("HTTP client '{name}' lacks {what}"),
            ))
        };
        let origin = client.text("endpoint").map(Origin::read);
        let Some(Ok(origin)) = origin else {
            return Err(lacks("an 'endpoint' of the form http://host or https://host"));
        };
        let url = origin.url();
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(lacks("a host in its 'endpoint'"));
        };
        let timeout = match client.value("timeout_ms") {
            Some(ConfigValue::Number(millis)) => millis.parse().ok().filter(|millis| *millis > 0),
            _ => None,
        };
        let timeout = timeout.ok_or_else(|| lacks("a positive 'timeout_ms'"))?;
        let files = TlsFiles::named(|key| client.text(key));
        Ok(Self {
            endpoint: Endpoint::new(host, port),
            host: url
                .port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
            tls: (url.scheme() == "https").then_some(files),
            timeout: Duration::from_millis(timeout),
        })
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConfig")
            .field("endpoint", &self.endpoint)
            .field("tls", &self.tls.is_some())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nspl_model::{ClientDef, ClientKind, ConfigValue};

    use super::HttpConfig;

    fn client(config: &[(&str, ConfigValue)]) -> ClientDef {
        ClientDef {
            name: "api".to_owned(),
            kind: ClientKind::Http,
            pool: None,
            mount: None,
            config: config
                .iter()
                .map(|(key, value)| ((*key).to_owned(), value.clone()))
                .collect(),
        }
    }

    fn text(text: &str) -> ConfigValue {
        ConfigValue::Text(text.to_owned())
    }

    fn millis(millis: &str) -> ConfigValue {
        ConfigValue::Number(millis.to_owned())
    }

    #[test]
    fn the_host_header_names_the_port_only_when_it_is_not_the_schemes() {
        let hosts = [
            ("http://api.example.com", "api.example.com", "api.example.com:80"),
            (
                "http://api.example.com:80",
                "api.example.com",
                "api.example.com:80",
            ),
            (
                "https://api.example.com",
                "api.example.com",
                "api.example.com:443",
            ),
            (
                "https://api.example.com:80",
                "api.example.com:80",
                "api.example.com:80",
            ),
            ("http://[::1]:8080", "[::1]:8080", "[::1]:8080"),
            (
                "http://BÜCHER.example",
                "xn--bcher-kva.example",
                "xn--bcher-kva.example:80",
            ),
        ];
        for (endpoint, host, address) in hosts {
            let client = client(&[("endpoint", text(endpoint)), ("timeout_ms", millis("5000"))]);
            let config = HttpConfig::read(&client).expect("a whole client");
            assert_eq!(
                (config.host.as_str(), config.endpoint.to_string().as_str()),
                (host, address)
            );
            assert_eq!(config.timeout, Duration::from_secs(5));
            assert_eq!(config.tls.is_some(), endpoint.starts_with("https"));
        }
    }

    #[test]
    fn a_client_without_a_bound_on_time_is_not_opened() {
        for config in [
            vec![("endpoint", text("http://h"))],
            vec![("endpoint", text("http://h")), ("timeout_ms", millis("0"))],
            vec![("timeout_ms", millis("1"))],
        ] {
            assert!(HttpConfig::read(&client(&config)).is_err());
        }
    }
}
