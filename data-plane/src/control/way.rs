//! The way to the control plane: over the network, or within this process.

use std::{fmt, time::Duration};

use nervix_listener::Dialler;
use tonic::transport::{Channel, Endpoint, Error};

/// How long connecting may take.
const CONNECT_BOUND: Duration = Duration::from_secs(5);
/// A silent control plane is pinged after this long, and lost when it does not answer for as long again.
const PING_AFTER: Duration = Duration::from_secs(10);
/// What requests within the process are addressed to; nothing resolves it.
const WITHIN: &str = "http://within";

/// Where the control plane listens for workers.
#[derive(Clone, Debug)]
pub enum ControlPlaneAt {
    /// `host:port`.
    Address(String),
    /// In this process.
    Within(Dialler),
}

impl From<Dialler> for ControlPlaneAt {
    fn from(dialler: Dialler) -> Self {
        Self::Within(dialler)
    }
}

impl From<&str> for ControlPlaneAt {
    fn from(address: &str) -> Self {
        Self::Address(address.to_owned())
    }
}

impl From<String> for ControlPlaneAt {
    fn from(address: String) -> Self {
        Self::Address(address)
    }
}

impl fmt::Display for ControlPlaneAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => f.write_str(address),
            Self::Within(_) => f.write_str("this process"),
        }
    }
}

/// See the module; a clone is the same way.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    endpoint: Endpoint,
    within: Option<Dialler>,
}

impl Way {
    /// # Errors
    /// When the address is not `host:port`.
    pub(crate) fn to(control_plane: &ControlPlaneAt) -> Result<Self, Error> {
        let (endpoint, within) = match control_plane {
            ControlPlaneAt::Address(address) => (Endpoint::from_shared(format!("http://{address}"))?, None),
            ControlPlaneAt::Within(dialler) => (Endpoint::from_static(WITHIN), Some(dialler.clone())),
        };
        let endpoint = endpoint
            .connect_timeout(CONNECT_BOUND)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(PING_AFTER)
            .keep_alive_timeout(PING_AFTER)
            .keep_alive_while_idle(true);
        Ok(Self { endpoint, within })
    }

    /// A new connection.
    pub(crate) async fn connect(&self) -> Result<Channel, Error> {
        match &self.within {
            Some(dialler) => self.endpoint.connect_with_connector(dialler.clone()).await,
            None => self.endpoint.connect().await,
        }
    }
}
