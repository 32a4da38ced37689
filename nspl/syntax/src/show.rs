//! Reading statements: SHOW and DESCRIBE (companion section 2).

use crate::entity::{EntityRef, Kind};
use crate::name::Name;

/// A SHOW statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Show {
    /// `SHOW CREATE <KIND> name`
    Create(EntityRef),
    /// `SHOW <KIND>S`
    List(Kind),
    /// `SHOW CLUSTER STATUS`
    ClusterStatus,
}

/// A DESCRIBE statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Describe {
    /// `DESCRIBE <KIND> name`, any kind but DOMAIN.
    Entity(EntityRef),
    /// `DESCRIBE DOMAIN [d]`: the session's domain without a name.
    Domain(Option<Name>),
}
