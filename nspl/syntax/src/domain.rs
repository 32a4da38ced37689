//! Domains: `CREATE DOMAIN`, `USE`, `START` and `STOP` (companion section 2).

use crate::expression::Number;
use crate::name::{Name, Text};
use crate::quantity::Duration;
use crate::span::{Span, Spanned};

/// `[UNPACED] DOMAIN d` or `PACED DOMAIN d WITH PERIOD p SKEW s`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain {
    /// The name of the domain.
    pub name: Name,
    /// How its time runs.
    pub pacing: Pacing,
}

/// How the time of a domain runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pacing {
    /// Domain time is the wall clock.
    Unpaced,
    /// Domain time runs from the START instant.
    Paced {
        /// The period.
        period: Duration,
        /// The skew.
        skew: Duration,
    },
}

/// `START [AT ... [TIME RATE f]]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Start {
    /// The instant domain time starts at.
    pub at: Option<StartAt>,
    /// The rate of domain time; only behind AT.
    pub rate: Option<Spanned<Number>>,
    /// Where the statement stands.
    pub span: Span,
}

/// The instant of START AT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StartAt {
    /// `NOW`
    Now(Span),
    /// A quoted RFC 3339 instant; that it is one is the checker's rule.
    Instant(Text),
}
