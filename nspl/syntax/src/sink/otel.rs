//! `OTEL <client> LOGS | TRACES | METRIC ... VALUES {...} [ATTRIBUTES {...}] [RESOURCE {...}] [SCOPE 'n' [VERSION 'v']]`
//! (emitters.txt "OTEL"). The order is fixed.

use crate::assignment;
use crate::assignment::Map;
use crate::expression::Expr;
use crate::grammar::{Rule, choice_of, flag, keyword, located, name, spanned, text};
use crate::name::{Name, Text};
use crate::printer::{Print, Printer};
use crate::sink::values::{self, Values};
use crate::span::{Span, Spanned};
use chumsky::prelude::{Parser, choice, group};

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

/// The destination with its VALUES, which stand right behind the signal.
pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, (OtelSink, Option<Values>)> {
    let map = |clause| {
        keyword(clause)
            .ignore_then(assignment::map(expression))
            .or_not()
            .boxed()
    };
    let version = keyword("VERSION").ignore_then(text("a quoted version")).or_not();
    let scope = keyword("SCOPE")
        .ignore_then(text("a quoted scope name"))
        .then(version);
    let scope = located(scope, |(name, version), span| Scope { name, version, span });
    let parts = group((
        keyword("OTEL").ignore_then(name("a client name")),
        spanned(signal()),
        values::rule(expression).or_not(),
        map("ATTRIBUTES"),
        map("RESOURCE"),
        scope.or_not(),
    ));
    parts
        .map(|(client, signal, values, attributes, resource, scope)| {
            (
                OtelSink {
                    client,
                    signal,
                    attributes,
                    resource,
                    scope,
                },
                values,
            )
        })
        .boxed()
}

fn signal<'t>() -> Rule<'t, Signal> {
    let logs = keyword("LOGS").map(|_| Signal::Logs).boxed();
    let traces = keyword("TRACES").map(|_| Signal::Traces).boxed();
    let metric = group((
        keyword("METRIC").ignore_then(text("a quoted metric name")),
        keyword("UNIT").ignore_then(text("a quoted unit")),
        keyword("DESCRIPTION")
            .ignore_then(text("a quoted description"))
            .or_not(),
        spanned(shape()),
    ));
    let metric = metric.map(|(name, unit, description, shape)| {
        Signal::Metric(Metric {
            name,
            unit,
            description,
            shape,
        })
    });
    choice((logs, traces, metric.boxed())).boxed()
}

fn shape<'t>() -> Rule<'t, MetricShape> {
    let temporality = || {
        choice((
            choice_of("DELTA", Temporality::Delta),
            choice_of("CUMULATIVE", Temporality::Cumulative),
        ))
        .boxed()
    };
    let gauge = choice_of("GAUGE", MetricShape::Gauge);
    let sum = keyword("SUM").ignore_then(flag("MONOTONIC")).then(temporality());
    let sum = sum
        .map(|(monotonic, temporality)| MetricShape::Sum {
            monotonic,
            temporality,
        })
        .boxed();
    let histogram = keyword("HISTOGRAM").ignore_then(temporality());
    let histogram = histogram
        .map(|temporality| MetricShape::Histogram { temporality })
        .boxed();
    choice((gauge, sum, histogram)).boxed()
}

impl OtelSink {
    /// Prints the destination with its VALUES, clauses on lines of their own indented by `columns`.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize, values: Option<&Values>) {
        printer.put("OTEL ").node(&self.client);
        match &self.signal.node {
            Signal::Logs => _ = printer.put(" LOGS"),
            Signal::Traces => _ = printer.put(" TRACES"),
            Signal::Metric(metric) => metric.print_at(printer, columns),
        }
        if let Some(values) = values {
            values.print_at(printer, columns);
        }
        for (clause, map) in [("ATTRIBUTES ", &self.attributes), ("RESOURCE ", &self.resource)] {
            if let Some(map) = map {
                map.print_at(printer.line(columns).put(clause), columns);
            }
        }
        if let Some(scope) = &self.scope {
            printer.line(columns).put("SCOPE ").node(&scope.name);
            if let Some(version) = &scope.version {
                printer.put(" VERSION ").node(version);
            }
        }
    }
}

impl Metric {
    fn print_at(&self, printer: &mut Printer, columns: usize) {
        printer
            .line(columns)
            .put("METRIC ")
            .node(&self.name)
            .put(" UNIT ")
            .node(&self.unit);
        if let Some(description) = &self.description {
            printer.line(columns).put("DESCRIPTION ").node(description);
        }
        printer.line(columns).node(&self.shape.node);
    }
}

impl Print for MetricShape {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Gauge => printer.put("GAUGE"),
            Self::Sum {
                monotonic: true,
                temporality,
            } => printer.put("SUM MONOTONIC ").node(temporality),
            Self::Sum {
                monotonic: false,
                temporality,
            } => printer.put("SUM ").node(temporality),
            Self::Histogram { temporality } => printer.put("HISTOGRAM ").node(temporality),
        };
    }
}

impl Print for Temporality {
    fn print(&self, printer: &mut Printer) {
        printer.put(match self {
            Self::Delta => "DELTA",
            Self::Cumulative => "CUMULATIVE",
        });
    }
}
