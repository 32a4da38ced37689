//! Addresses to listen on. Beyond loopback only with --insecure, since this release has neither TLS nor tokens.

use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
    str::FromStr,
};

use tokio::net::TcpListener;

use crate::exit::Failure;

/// An address as an argument gives it; port 0 picks a free one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listen(SocketAddr);

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write an IP address or localhost, and a port, such as 127.0.0.1:7460".to_owned();
        match text.strip_prefix("localhost:") {
            Some(port) => {
                let port = port.parse().map_err(|_| wrong())?;
                Ok(Listen(SocketAddr::from((Ipv4Addr::LOCALHOST, port))))
            }
            None => text.parse().map(Listen).map_err(|_| wrong()),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Listen {
    /// Refuses an address that others can reach, unless told not to.
    pub(super) fn check(self, flag: &str, insecure: bool) -> Result<(), Failure> {
        if self.0.ip().is_loopback() || insecure {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "{flag} {self} would let everybody who reaches this machine read and write: there is no TLS and no \
             authentication yet. Listen on 127.0.0.1, or accept that with --insecure"
        )))
    }

    /// Binds the listener.
    pub(super) async fn bind(self, flag: &str) -> Result<TcpListener, Failure> {
        TcpListener::bind(self.0).await.map_err(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse => Failure::Usage(format!(
                "{flag} {self} is in use: is another nervix running? Stop it, or pick a free port with {flag} 127.0.0.1:0"
            )),
            _ => Failure::Io { what: format!("{flag} {self}"), error },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Listen;

    #[test]
    fn loopback_is_free_and_everything_else_needs_a_word() {
        for text in ["127.0.0.1:0", "localhost:7460", "[::1]:1", "127.9.9.9:1"] {
            assert!(
                text.parse::<Listen>().unwrap().check("--x", false).is_ok(),
                "{text}"
            );
        }
        for text in ["0.0.0.0:7460", "[::]:7460", "10.0.0.1:1"] {
            let listen: Listen = text.parse().unwrap();
            assert!(
                listen
                    .check("--x", false)
                    .unwrap_err()
                    .to_string()
                    .contains("--insecure"),
                "{text}"
            );
            assert!(listen.check("--x", true).is_ok());
        }
        for text in ["example.com:1", "127.0.0.1", "localhost:x", ""] {
            assert!(text.parse::<Listen>().is_err(), "{text}");
        }
    }
}
