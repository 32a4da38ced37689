//! Domains: the world everything lives in, with its clock (companion sections 2 and 10).

use std::time::Duration;

/// A DOMAIN definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DomainDef {
    /// Unique among domains.
    pub name: String,
    /// What its time follows.
    pub pacing: Pacing,
}

/// What domain time follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pacing {
    /// The wall clock.
    Unpaced,
    /// START AT and TIME RATE.
    Paced {
        /// PERIOD.
        period: Duration,
        /// SKEW.
        skew: Duration,
    },
}
