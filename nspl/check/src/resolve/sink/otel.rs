//! `TO OTEL c LOGS | TRACES | METRIC ...` (emitters.txt "OTEL", rulings section 7).

mod resource;
mod values;

use nspl_model::{
    ClientKind, HistogramFields, LogFields, OtelKey, OtelMetric, OtelPoints, OtelScope, OtelSignal,
    OtelSinkDef, PointFields, SpanFields, Temporality,
};
use nspl_syntax::assignment::MapEntry;
use nspl_syntax::sink::otel as tree;
use nspl_syntax::sink::values::Values;

use super::Resolver;
use crate::rules;

/// The closed VALUES set of a signal.
#[derive(Clone, Copy)]
struct ClosedSet {
    keys: &'static [OtelKey],
    /// Whether every point needs a start_time.
    delta: bool,
    /// The signal in the words of the specification.
    signal: &'static str,
}

impl ClosedSet {
    fn of(signal: &tree::Signal) -> ClosedSet {
        let (keys, temporality, signal) = match signal {
            tree::Signal::Logs => (LogFields::KEYS, None, "LOGS"),
            tree::Signal::Traces => (SpanFields::KEYS, None, "TRACES"),
            tree::Signal::Metric(metric) => match metric.shape.node {
                tree::MetricShape::Gauge => (PointFields::KEYS, None, "a GAUGE"),
                tree::MetricShape::Sum { temporality, .. } => (PointFields::KEYS, Some(temporality), "a SUM"),
                tree::MetricShape::Histogram { temporality } => {
                    (HistogramFields::KEYS, Some(temporality), "a HISTOGRAM")
                }
            },
        };
        let delta = temporality == Some(tree::Temporality::Delta);
        ClosedSet { keys, delta, signal }
    }
}

impl Resolver<'_> {
    pub(super) fn otel_sink(
        &mut self,
        tree: &tree::OtelSink,
        values: Option<&Values>,
    ) -> Option<OtelSinkDef> {
        let client = self.client(&tree.client, ClientKind::Otel);
        let entries = values.map_or(&[][..], |values| &values.map.entries);
        let signal = self.signal(&tree.signal.node, entries);
        let resource = self.resource(tree.resource.as_ref());
        let attributes = tree.attributes.iter().flat_map(|map| &map.entries);
        let attributes = attributes
            .enumerate()
            .map(|(index, entry)| (entry.key.value.clone(), entries.len() + index));
        let scope = tree.scope.as_ref().map(|scope| OtelScope {
            name: scope.name.value.clone(),
            version: scope.version.as_ref().map(|version| version.value.clone()),
        });
        Some(OtelSinkDef {
            client: client?,
            signal: signal?,
            attributes: attributes.collect(),
            resource: resource?,
            scope,
        })
    }

    /// The fields are where their entries are; `None` besides faults where a required key is missing.
    fn signal(&mut self, tree: &tree::Signal, entries: &[MapEntry]) -> Option<OtelSignal> {
        let index = |name: &str| entries.iter().position(|entry| entry.key.value == name);
        match tree {
            tree::Signal::Logs => LogFields::of(index).map(OtelSignal::Logs),
            tree::Signal::Traces => SpanFields::of(index).map(OtelSignal::Traces),
            tree::Signal::Metric(metric) => self.metric(metric, index).map(OtelSignal::Metric),
        }
    }

    fn metric(&mut self, tree: &tree::Metric, index: impl Fn(&str) -> Option<usize>) -> Option<OtelMetric> {
        if tree.name.value.is_empty() {
            let fault = rules::external_name::fault(tree.name.span, "METRIC", "a metric stream has a name");
            self.faults.push(fault);
            return None;
        }
        let points = match tree.shape.node {
            tree::MetricShape::Gauge => OtelPoints::Gauge(PointFields::of(index)?),
            tree::MetricShape::Sum {
                monotonic,
                temporality,
            } => OtelPoints::Sum {
                monotonic,
                temporality: counted_from(temporality),
                fields: PointFields::of(index)?,
            },
            tree::MetricShape::Histogram { temporality } => OtelPoints::Histogram {
                temporality: counted_from(temporality),
                fields: HistogramFields::of(index)?,
            },
        };
        Some(OtelMetric {
            name: tree.name.value.clone(),
            unit: tree.unit.value.clone(),
            description: tree.description.as_ref().map(|text| text.value.clone()),
            points,
        })
    }
}

fn counted_from(tree: tree::Temporality) -> Temporality {
    match tree {
        tree::Temporality::Delta => Temporality::Delta,
        tree::Temporality::Cumulative => Temporality::Cumulative,
    }
}
