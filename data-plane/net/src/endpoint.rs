//! Where a connection goes: a host and a port.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// A host, which is a name or an address, and a port.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Endpoint {
    host: Arc<str>,
    port: u16,
}

impl Endpoint {
    /// An IPv6 address may stand in brackets, as URLs write it.
    pub fn new(host: &str, port: u16) -> Self {
        let bare = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .unwrap_or(host);
        Self {
            host: bare.into(),
            port,
        }
    }

    /// The host, without brackets: what a certificate has to name.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host as an address, when it is one and needs no resolving.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Endpoint;

    #[test]
    fn an_address_of_version_6_stands_in_brackets_beside_its_port() {
        assert_eq!(Endpoint::new("[::1]", 80).to_string(), "[::1]:80");
        assert_eq!(Endpoint::new("::1", 80), Endpoint::new("[::1]", 80));
        assert!(Endpoint::new("[::1]", 80).address().is_some());
        assert_eq!(
            Endpoint::new("api.example.com", 443).to_string(),
            "api.example.com:443"
        );
        assert!(Endpoint::new("api.example.com", 443).address().is_none());
    }
}
