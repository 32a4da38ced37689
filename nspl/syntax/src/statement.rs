//! One statement of a script.

use crate::alter::Alter;
use crate::domain::Start;
use crate::entity::{Create, EntityRef};
use crate::name::Name;
use crate::node::NodeStatement;
use crate::resource::UploadResource;
use crate::show::{Describe, Show};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// `CREATE ...`
    Create(Create),
    /// `ALTER ...`
    Alter(Alter),
    /// `DROP <KIND> name`; `DROP NODE` is a node statement.
    Drop(EntityRef),
    /// `SHOW ...`
    Show(Show),
    /// `DESCRIBE ...`
    Describe(Describe),
    /// `USE d`
    Use(Name),
    /// `START ...`
    Start(Start),
    /// `STOP`
    Stop,
    /// `BEGIN`
    Begin,
    /// `COMMIT`
    Commit,
    /// `REVERT`
    Revert,
    /// `UPLOAD RESOURCE ...`
    Upload(UploadResource),
    /// `CORDON|UNCORDON|DRAIN|DROP NODE n`
    Node(NodeStatement),
}

impl Statement {
    /// Whether it creates, alters or drops something that lives in a domain: what a transaction is made of
    /// (rulings section 1).
    #[must_use]
    pub const fn is_model(&self) -> bool {
        match self {
            Self::Create(create) => !matches!(create.entity.kind(), crate::entity::Kind::Domain),
            Self::Drop(target) => !matches!(target.kind, crate::entity::Kind::Domain),
            Self::Alter(_) => true,
            _ => false,
        }
    }

    /// Whether it only reads.
    #[must_use]
    pub const fn is_reading(&self) -> bool {
        matches!(self, Self::Show(_) | Self::Describe(_))
    }
}
