//! The address of a server: `host:port`, with or without a scheme.
//!
//! Flight locations (`grpc://`, `grpc+tcp://`) and plain `host:port` mean the same. TLS schemes are refused with a reason
//! rather than tried without TLS. Names are resolved by the transport, not here.

use std::{fmt, str::FromStr};

use crate::error::Error;

/// `host:port` of a control plane or a worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// The host part, without the brackets of an IPv6 address.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// This address, or, where it names every interface (`0.0.0.0`, `[::]`), the same port on `other`'s host: a server
    /// that listens everywhere is reached where its sibling was reached.
    #[must_use]
    pub fn reachable_beside(self, other: &Address) -> Address {
        match self.host.as_str() {
            "0.0.0.0" | "::" => Address {
                host: other.host.clone(),
                port: self.port,
            },
            _ => self,
        }
    }

    pub(crate) fn uri(&self) -> String {
        format!("http://{self}")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        // What stands before an `@` is no part of these addresses, and may be a password.
        let shown = text
            .rsplit_once('@')
            .map_or_else(|| text.to_owned(), |(_, host)| format!("***@{host}"));
        let bad = |message: &str| Error::BadAddress {
            address: shown.clone(),
            message: message.to_owned(),
        };
        let rest = match text.split_once("://") {
            None => text,
            Some(("http" | "grpc" | "grpc+tcp", rest)) => rest,
            Some(("https" | "grpc+tls", _)) => return Err(bad("TLS is not supported by this client")),
            Some(_) => return Err(bad("the scheme is not one of http, grpc, grpc+tcp")),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = rest
            .rsplit_once(':')
            .ok_or_else(|| bad("write it as host:port"))?;
        let port = port
            .parse()
            .map_err(|_| bad("the port is no number from 0 to 65535"))?;
        let host = match host.strip_prefix('[') {
            Some(inner) => inner
                .strip_suffix(']')
                .ok_or_else(|| bad("a bracket is not closed"))?,
            None if host.contains(':') => return Err(bad("write an IPv6 address in brackets")),
            None => host,
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
        if host.is_empty() || !host.chars().all(plain) {
            return Err(bad("the host is empty or has a character that no host has"));
        }
        Ok(Address {
            host: host.to_owned(),
            port,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn an_address_is_read_with_and_without_a_scheme() {
        for text in [
            "localhost:7460",
            "http://localhost:7460",
            "grpc+tcp://localhost:7460/",
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), "localhost:7460");
        }
        assert_eq!(
            "grpc://[::1]:80".parse::<Address>().unwrap().to_string(),
            "[::1]:80"
        );
    }

    #[test]
    fn what_is_no_address_is_refused_with_a_reason() {
        for text in [
            "localhost",
            "localhost:x",
            "::1:80",
            ":80",
            "https://a:1",
            "a b:1",
            "[::1:80",
            "a/b:1",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
        let refused = "grpc://u:hush@h:1".parse::<Address>().unwrap_err().to_string();
        assert!(
            refused.contains("***@h:1") && !refused.contains("hush"),
            "{refused}"
        );
    }

    #[test]
    fn a_server_that_listens_everywhere_is_reached_beside_its_sibling() {
        let sibling: Address = "db.example:7460".parse().unwrap();
        let everywhere: Address = "0.0.0.0:7461".parse().unwrap();
        assert_eq!(
            everywhere.reachable_beside(&sibling).to_string(),
            "db.example:7461"
        );
    }
}
