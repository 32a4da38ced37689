//! Entities of the catalog, and the nodes that execute them.

use nervix_proto::v1;

use crate::error::Error;

/// An entity of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// Its domain.
    pub domain: String,
    /// Its kind, in NSPL's words.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Canonical NSPL with secrets masked.
    pub statement: String,
    /// The catalog revision of its last change.
    pub modified_revision: u64,
}

/// One line of DESCRIBE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What it says something about.
    pub key: String,
    /// What it says.
    pub value: String,
}

/// An entity with everything that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The entity.
    pub entity: Entity,
    /// The lines of DESCRIBE, in order.
    pub properties: Vec<Property>,
}

impl Description {
    /// The value of the first line with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.properties
            .iter()
            .find(|property| property.key == key)
            .map(|property| property.value.as_str())
    }
}

/// Whether a worker is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// Its stream to a control plane is up.
    Connected,
    /// It is attached to no control plane.
    Lost,
    /// The control plane that it attached to last does not answer; the worker goes on without.
    Elsewhere,
}

impl NodeState {
    /// The word of the control API; one that this release does not know is of a worker that cannot be counted on.
    fn from_word(word: &str) -> Self {
        match word {
            "connected" => Self::Connected,
            "elsewhere" => Self::Elsewhere,
            _ => Self::Lost,
        }
    }
}

impl std::fmt::Display for NodeState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connected => "connected",
            Self::Lost => "lost",
            Self::Elsewhere => "elsewhere",
        })
    }
}

/// A worker, as the control plane sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its stable name.
    pub name: String,
    /// Where applications reach its Arrow Flight.
    pub flight_address: String,
    /// Whether it is there.
    pub state: NodeState,
    /// The kinds of source and sink that it was built with.
    pub kinds: Vec<String>,
    /// The catalog revision up to which it executes.
    pub applied_revision: u64,
    /// Seconds since its last sign of life.
    pub last_seen_s: f64,
}

/// The nodes of an installation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterStatus {
    /// All known nodes.
    pub nodes: Vec<Node>,
    /// The catalog's revision.
    pub revision: u64,
}

impl From<v1::Entity> for Entity {
    fn from(entity: v1::Entity) -> Self {
        Entity {
            domain: entity.domain,
            kind: entity.kind,
            name: entity.name,
            statement: entity.statement,
            modified_revision: entity.modified_revision,
        }
    }
}

impl TryFrom<v1::DescribeEntityResponse> for Description {
    type Error = Error;

    fn try_from(reply: v1::DescribeEntityResponse) -> Result<Self, Error> {
        let entity = reply
            .entity
            .ok_or_else(|| Error::Protocol("a description without its entity".to_owned()))?;
        let properties = reply
            .properties
            .into_iter()
            .map(|line| Property {
                key: line.key,
                value: line.value,
            })
            .collect();
        Ok(Description {
            entity: entity.into(),
            properties,
        })
    }
}

impl From<v1::GetClusterStatusResponse> for ClusterStatus {
    fn from(reply: v1::GetClusterStatusResponse) -> Self {
        let nodes = reply.nodes.into_iter().map(|node| Node {
            name: node.name,
            flight_address: node.flight_address,
            state: NodeState::from_word(&node.state),
            kinds: node.kinds,
            applied_revision: node.applied_revision,
            last_seen_s: node.last_seen_s,
        });
        ClusterStatus {
            nodes: nodes.collect(),
            revision: reply.revision,
        }
    }
}
