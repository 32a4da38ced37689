//! `OTEL <client> LOGS | TRACES | METRIC ... VALUES {...} [ATTRIBUTES {...}] [RESOURCE {...}] [SCOPE 'n' [VERSION 'v']]`
//! (emitters.txt "OTEL"). The order is fixed.

use crate::assignment::Map;
use crate::name::{Name, Text};
use crate::span::{Span, Spanned};

/// The OTLP destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OtelSink {
    /// The client.
    pub client: Name,
    /// What the records are.
    pub signal: Spanned<Signal>,
    /// The attributes of each record.
    pub attributes: Option<Map>,
    /// The attributes of the resource; literals only by the checker's rule.
    pub resource: Option<Map>,
    /// The instrumentation scope.
    pub scope: Option<Scope>,
}

/// What the records of an OTEL emitter are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// `LOGS`
    Logs,
    /// `TRACES`
    Traces,
    /// `METRIC ...`
    Metric(Metric),
}

/// `METRIC 'name' UNIT 'unit' [DESCRIPTION 'text'] <shape>`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Metric {
    /// The name of the metric stream.
    pub name: Text,
    /// Its unit.
    pub unit: Text,
    /// Its description.
    pub description: Option<Text>,
    /// Its shape.
    pub shape: Spanned<MetricShape>,
}

/// The shapes of metric streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetricShape {
    /// `GAUGE`
    Gauge,
    /// `SUM [MONOTONIC] DELTA | CUMULATIVE`
    Sum {
        /// Whether MONOTONIC is written.
        monotonic: bool,
        /// What the points count from.
        temporality: Temporality,
    },
    /// `HISTOGRAM DELTA | CUMULATIVE`
    Histogram {
        /// What the points count from.
        temporality: Temporality,
    },
}

/// What the points of a sum or histogram count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Temporality {
    /// `DELTA`: from the point before.
    Delta,
    /// `CUMULATIVE`: from the start.
    Cumulative,
}

/// `SCOPE 'name' [VERSION 'version']`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The name of the scope.
    pub name: Text,
    /// Its version.
    pub version: Option<Text>,
    /// Where the clause stands.
    pub span: Span,
}
