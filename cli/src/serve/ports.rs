//! The ports file: what was picked where port 0 was asked for, as JSON with `control`, `flight` and `http`.
//!
//! It appears whole, and only once the process serves what it was started for; a stale one is removed at the start.

use std::{net::SocketAddr, path::Path};

use serde::Serialize;

use crate::{exit::Failure, fmt};

/// The addresses of this process, `host:port`; what it does not serve is left out.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Ports {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) control: Option<SocketAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flight: Option<SocketAddr>,
    pub(super) http: SocketAddr,
}

/// Removes the file of an earlier process.
pub(super) fn clear(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::io(path.display().to_string())(error))
        }
        _ => Ok(()),
    }
}

/// Says the addresses in the log, and in the file where one was asked for.
pub(super) fn announce(ports: &Ports, path: Option<&Path>) -> Result<(), Failure> {
    if let Some(control) = ports.control {
        tracing::info!(address = %control, "control API");
    }
    if let Some(flight) = ports.flight {
        tracing::info!(address = %flight, "Arrow Flight");
    }
    tracing::info!(address = %ports.http, "metrics and health (HTTP)");
    let Some(path) = path else { return Ok(()) };
    let text = serde_json::to_string(ports).map_err(|error| Failure::Usage(error.to_string()))?;
    fmt::replace(path, &format!("{text}\n")).map_err(Failure::io(path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::{Ports, announce, clear};

    #[test]
    fn the_file_holds_the_addresses_that_are_served_and_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ports.json");
        clear(Some(&path)).unwrap();
        let ports = Ports {
            control: None,
            flight: Some(([127, 0, 0, 1], 2).into()),
            http: ([127, 0, 0, 1], 3).into(),
        };
        announce(&ports, Some(&path)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "{\"flight\":\"127.0.0.1:2\",\"http\":\"127.0.0.1:3\"}\n");
        clear(Some(&path)).unwrap();
        assert!(!path.exists());
    }
}
