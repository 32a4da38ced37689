//! What is stored of nodes: what they were built with, where they are reached, and which one executes the graph.

use std::collections::BTreeSet;

use super::record::Record;

/// What a control plane is to the others on its store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Identity {
    /// Made at its start: two that say one address, and one that was started again, are not the same. Empty where the
    /// store is not shared.
    pub(crate) id: String,
    /// Where others reach it, as host:port.
    pub(crate) address: String,
}

/// A worker as it registered last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NodeRecord {
    /// Where applications reach its Arrow Flight.
    pub(crate) flight_address: String,
    /// The kinds of source and sink it was built with.
    pub(crate) kinds: BTreeSet<String>,
    /// Bound of one gRPC message of its Arrow Flight in bytes; 0 where it is not known.
    pub(crate) flight_message_bytes_max: u64,
    /// The control plane that it attached to.
    pub(crate) control_plane: Identity,
    /// It gets nothing new.
    pub(crate) cordoned: bool,
}

impl NodeRecord {
    pub(crate) fn write(&self) -> String {
        let kinds: Vec<_> = self.kinds.iter().map(String::as_str).collect();
        Record::default()
            .with("flight_address", &self.flight_address)
            .with("kinds", kinds.join(","))
            .with("flight_message_bytes_max", self.flight_message_bytes_max)
            .with("control_address", &self.control_plane.address)
            .with("control_id", &self.control_plane.id)
            .with("cordoned", self.cordoned)
            .write()
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let record = Record::read(bytes)?;
        let kinds = record.text("kinds")?;
        Some(Self {
            flight_address: record.text("flight_address")?.into(),
            kinds: kinds
                .split(',')
                .filter(|kind| !kind.is_empty())
                .map(Into::into)
                .collect(),
            flight_message_bytes_max: record.get("flight_message_bytes_max").unwrap_or_default(),
            control_plane: Identity {
                id: record.text("control_id").unwrap_or_default().into(),
                address: record.text("control_address")?.into(),
            },
            cordoned: record.get("cordoned")?,
        })
    }
}

/// Which node executes the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) node: String,
    /// The revision that placed it there; what it executes is of no older generation, so a former owner is fenced.
    pub(crate) since: u64,
}

impl Placement {
    pub(crate) fn write(node: &str) -> String {
        Record::default().with("node", node).write()
    }

    pub(crate) fn read(bytes: &[u8], since: u64) -> Option<Self> {
        let node = Record::read(bytes)?.text("node")?.into();
        Some(Self { node, since })
    }
}

#[cfg(test)]
mod tests {
    use super::{Identity, NodeRecord, Placement};

    #[test]
    fn nodes_and_placements_read_back() {
        let node = NodeRecord {
            flight_address: "127.0.0.1:7461".into(),
            kinds: ["CLIENT".to_owned(), "KAFKA".to_owned()].into(),
            flight_message_bytes_max: 64 << 20,
            control_plane: Identity {
                id: "6f1c".into(),
                address: "127.0.0.1:7460".into(),
            },
            cordoned: true,
        };
        assert_eq!(NodeRecord::read(node.write().as_bytes()), Some(node));
        let bare = NodeRecord::default();
        assert_eq!(NodeRecord::read(bare.write().as_bytes()), Some(bare));
        let placement = Placement {
            node: "n".into(),
            since: 4,
        };
        assert_eq!(
            Placement::read(Placement::write("n").as_bytes(), 4),
            Some(placement)
        );
    }
}
