//! `TO OTEL c LOGS | TRACES | METRIC ...`: OTLP log records, spans and data points (emitters.txt "OTEL").
//!
//! The output schema has the VALUES entries, then those of ATTRIBUTES under `attributes.<key>`; the definition says by
//! index which is which. RESOURCE and SCOPE are constants of the definition itself.

mod fields;
mod key;

use std::borrow::Cow;
use std::sync::Arc;

pub use fields::{HistogramFields, LogFields, PointFields, SpanFields};
pub use key::{OtelKey, OtelNeed, OtelValue};

use crate::{Body, Capabilities, ClientDef, DataType, Literal, ModeRule, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtelSinkDef {
    /// How to reach the collector.
    pub client: Arc<ClientDef>,
    /// What the records are, with the indexes of their VALUES in the output schema.
    pub signal: OtelSignal,
    /// ATTRIBUTES, in written order: each key with its index in the output schema. Null values are left out.
    pub attributes: Vec<(String, usize)>,
    /// RESOURCE, in written order.
    pub resource: Vec<OtelResource>,
    /// SCOPE.
    pub scope: Option<OtelScope>,
}

/// What the records of an OTEL emitter are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OtelSignal {
    /// LOGS.
    Logs(LogFields),
    /// TRACES.
    Traces(SpanFields),
    /// METRIC: one metric stream.
    Metric(OtelMetric),
}

/// `METRIC 'name' UNIT 'unit' [DESCRIPTION 'text'] <shape>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtelMetric {
    /// The name of the stream; never empty.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its description.
    pub description: Option<String>,
    /// Its points.
    pub points: OtelPoints,
}

/// The shape of a metric stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OtelPoints {
    /// GAUGE.
    Gauge(PointFields),
    /// SUM.
    Sum {
        /// MONOTONIC.
        monotonic: bool,
        /// What the points count from.
        temporality: Temporality,
        /// The indexes of their VALUES.
        fields: PointFields,
    },
    /// HISTOGRAM.
    Histogram {
        /// What the points count from.
        temporality: Temporality,
        /// The indexes of their VALUES.
        fields: HistogramFields,
    },
}

/// What the points of a sum or histogram count from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Temporality {
    /// From the point before; every point has a start_time.
    Delta,
    /// From the start of the stream.
    Cumulative,
}

/// One entry of RESOURCE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtelResource {
    /// The key.
    pub key: String,
    /// A type that [`OtelSinkDef::attribute_takes`]; lists are VECs.
    pub data_type: DataType,
    /// The value; never null.
    pub value: Literal,
}

/// `SCOPE 'name' [VERSION 'version']`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtelScope {
    /// Name.
    pub name: String,
    /// VERSION.
    pub version: Option<String>,
}

impl OtelSignal {
    /// What is written to, as DESCRIBE EMITTER shows it.
    pub(super) fn target(&self) -> (&'static str, Cow<'_, str>) {
        match self {
            OtelSignal::Logs(_) => ("signal", "LOGS".into()),
            OtelSignal::Traces(_) => ("signal", "TRACES".into()),
            OtelSignal::Metric(metric) => ("metric", metric.name.as_str().into()),
        }
    }
}

impl OtelSinkDef {
    /// Whether attributes take a type: STRING, BOOL, integers, floats, DATETIME, and one-dimensional lists of them.
    pub fn attribute_takes(data_type: &DataType) -> bool {
        let scalar = |of: &DataType| {
            of.is_numeric() || matches!(of, DataType::String | DataType::Bool | DataType::DateTime)
        };
        match data_type.element() {
            Some(element) => scalar(&element),
            None => scalar(data_type),
        }
    }

    /// The name of the field of the output schema that holds an attribute.
    pub fn attribute_field(key: &str) -> String {
        format!("attributes.{key}")
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    body: Body::Values,
    ..Capabilities::payload(SinkKind::Otel, ModeRule::ANSWERED)
};
