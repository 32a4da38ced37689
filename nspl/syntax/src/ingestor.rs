//! Ingestors: the ways in (companion section 8, rulings section 3).
//!
//! `INGESTOR i FROM CLIENT SCHEMA s [FILTER WHERE e] MODE ... TO r ... [TO ...]* ON GENERAL ERROR ...` and the Kafka
//! form, where `DECODE USING c` and then `FILTER WHERE e` follow MODE.

use crate::assignment::Assignment;
use crate::assignment::assignments;
use crate::construction::Construction;
use crate::emitter::mode;
use crate::emitter::mode::Window;
use crate::error_policy::{GeneralPolicy, MessagePolicy};
use crate::expression::Expr;
use crate::flush::Flush;
use crate::grammar::{HIDDEN, Rule, external_name, keyword, keyword_as, located, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer, display};
use crate::quantity::{Whole, whole};
use crate::relay::RELAY;
use crate::span::Span;
use crate::{construction, error_policy, flush};
use chumsky::prelude::{IterParser, Parser, choice, group};

/// An ingestor definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ingestor {
    /// The name of the ingestor.
    pub name: Name,
    /// Where its records come from.
    pub source: IngestorSource,
    /// When an incoming record counts as taken.
    pub mode: IngestorMode,
    /// The codec of DECODE USING; always there for Kafka; an ingestor FROM CLIENT with one is refused by the checker.
    pub codec: Option<Name>,
    /// The FILTER WHERE predicate.
    pub filter: Option<Expr>,
    /// Its routes in written order, at least one.
    pub routes: Vec<Route>,
    /// What happens to failures that belong to no record.
    pub on_general_error: GeneralPolicy,
}

/// Where an ingestor's records come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IngestorSource {
    /// `CLIENT SCHEMA s`: applications write through Arrow Flight.
    Client {
        /// The schema of the written records.
        schema: Name,
    },
    /// `KAFKA c TOPIC t OFFSET BY CONSUMER GROUP g [INSTANCES n]`
    Kafka {
        /// The client.
        client: Name,
        /// The topic.
        topic: ExternalName,
        /// The consumer group that holds the offsets.
        group: ExternalName,
        /// How many consumers read it.
        instances: Option<Whole>,
    },
}

/// The MODE of an ingestor. It has no retry policy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IngestorMode {
    /// Which mode.
    pub kind: IngestorModeKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of an ingestor's MODE.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IngestorModeKind {
    /// `ACK`
    Ack,
    /// `ACK SEQUENTIAL` or `ACK PARALLEL MAX n`
    AckWindow(Window),
    /// `NO_ACK`
    NoAck,
}

/// `TO r <construction> UNBRANCHED | BRANCHED BY b SET k = e, ... FLUSH ... ON MESSAGE ERROR ...`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// The relay the route writes.
    pub relay: Name,
    /// How its records are built.
    pub construction: Construction,
    /// The branch of its records.
    pub branching: Branching,
    /// When collected records enter the relay.
    pub flush: Flush,
    /// What happens to a record that fails on this route.
    pub on_message_error: MessagePolicy,
    /// Where the route stands.
    pub span: Span,
}

/// How a route assigns branches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branching {
    /// The branch and its keys; none when UNBRANCHED.
    pub branched_by: Option<BranchedBy>,
    /// Where the clause stands.
    pub span: Span,
}

/// `BRANCHED BY b SET k = e, ...`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BranchedBy {
    /// The branch.
    pub branch: Name,
    /// The key fields in written order, at least one.
    pub keys: Vec<Assignment>,
}

/// What stands before the routes: the source, the mode, the codec and the filter.
type Intake = (IngestorSource, IngestorMode, Option<Name>, Option<Expr>);

pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Ingestor> {
    let head = keyword("INGESTOR")
        .ignore_then(name("an ingestor name"))
        .then_ignore(keyword("FROM"));
    let intake = choice((from_client(expression), from_kafka(expression)));
    let routes = route(expression).repeated().at_least(1).collect();
    group((
        head.boxed(),
        intake.boxed(),
        routes.boxed(),
        error_policy::general_policy(),
    ))
    .map(
        |(name, (source, mode, codec, filter), routes, on_general_error)| Ingestor {
            name,
            source,
            mode,
            codec,
            filter,
            routes,
            on_general_error,
        },
    )
    .boxed()
}

fn filter<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Option<Expr>> {
    phrase("FILTER WHERE")
        .ignore_then(expression.clone())
        .or_not()
        .boxed()
}

fn from_client<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Intake> {
    let schema = phrase("CLIENT SCHEMA").ignore_then(name("a schema name"));
    // Read, so that it can be refused with the reason; not offered.
    let codec = keyword_as("DECODE", HIDDEN)
        .ignore_then(keyword("USING"))
        .ignore_then(name("a codec name"));
    let parts = group((
        schema,
        filter(expression),
        ingestor_mode(),
        codec.or_not().boxed(),
    ));
    parts
        .map(|(schema, filter, mode, codec)| (IngestorSource::Client { schema }, mode, codec, filter))
        .boxed()
}

fn from_kafka<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Intake> {
    let source = group((
        keyword("KAFKA").ignore_then(name("a client name")),
        keyword("TOPIC").ignore_then(external_name("a topic")),
        phrase("OFFSET BY CONSUMER GROUP").ignore_then(external_name("a consumer group")),
        keyword("INSTANCES").ignore_then(whole()).or_not(),
    ));
    let source = source.map(|(client, topic, group, instances)| IngestorSource::Kafka {
        client,
        topic,
        group,
        instances,
    });
    let codec = phrase("DECODE USING").ignore_then(name("a codec name"));
    let parts = group((source.boxed(), ingestor_mode(), codec.boxed(), filter(expression)));
    parts
        .map(|(source, mode, codec, filter)| (source, mode, Some(codec), filter))
        .boxed()
}

fn ingestor_mode<'t>() -> Rule<'t, IngestorMode> {
    let ack = keyword("ACK").ignore_then(mode::window().or_not());
    let ack = ack
        .map(|window| window.map_or(IngestorModeKind::Ack, IngestorModeKind::AckWindow))
        .boxed();
    let no_ack = keyword("NO_ACK").map(|_| IngestorModeKind::NoAck).boxed();
    located(
        keyword("MODE").ignore_then(choice((ack, no_ack))),
        |kind, span| IngestorMode { kind, span },
    )
}

fn branching<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Branching> {
    let unbranched = keyword("UNBRANCHED").map(|_| None).boxed();
    let keys = keyword("SET").ignore_then(assignments(expression));
    let branched = phrase("BRANCHED BY")
        .ignore_then(name("a branch name"))
        .then(keys);
    let branched = branched
        .map(|(branch, keys)| Some(BranchedBy { branch, keys }))
        .boxed();
    located(choice((unbranched, branched)), |branched_by, span| Branching {
        branched_by,
        span,
    })
}

fn route<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Route> {
    let parts = group((
        keyword("TO").ignore_then(name(RELAY)),
        construction::route_rule(expression),
        branching(expression),
        flush::rule(),
        error_policy::message_policy(expression),
    ));
    located(
        parts,
        |(relay, mut construction, branching, flush, on_message_error), span| {
            if construction.is_empty() {
                construction.span = Span::new(relay.span.end, relay.span.end);
            }
            Route {
                relay,
                construction,
                branching,
                flush,
                on_message_error,
                span,
            }
        },
    )
}

impl Print for IngestorMode {
    fn print(&self, printer: &mut Printer) {
        match &self.kind {
            IngestorModeKind::Ack => printer.put("ACK"),
            IngestorModeKind::AckWindow(window) => printer.put("ACK ").node(window),
            IngestorModeKind::NoAck => printer.put("NO_ACK"),
        };
    }
}

impl Print for IngestorSource {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Client { schema } => _ = printer.put("CLIENT SCHEMA ").node(schema),
            Self::Kafka {
                client,
                topic,
                group,
                instances,
            } => {
                printer.put("KAFKA ").node(client).put(" TOPIC ").node(topic);
                printer.put(" OFFSET BY CONSUMER GROUP ").node(group);
                if let Some(instances) = instances {
                    printer.put(" INSTANCES ").node(instances);
                }
            }
        }
    }
}

impl Print for Branching {
    fn print(&self, printer: &mut Printer) {
        match &self.branched_by {
            None => printer.put("UNBRANCHED"),
            Some(by) => printer
                .put("BRANCHED BY ")
                .node(&by.branch)
                .put(" SET ")
                .list(&by.keys),
        };
    }
}

impl Print for Ingestor {
    fn print(&self, printer: &mut Printer) {
        printer.put("INGESTOR ").node(&self.name);
        printer.line(2).put("FROM ").node(&self.source);
        let filter = |printer: &mut Printer| {
            if let Some(filter) = &self.filter {
                printer.line(2).put("FILTER WHERE ").node(filter);
            }
        };
        let after_codec = matches!(self.source, IngestorSource::Kafka { .. });
        if !after_codec {
            filter(printer);
        }
        printer.line(2).put("MODE ").node(&self.mode);
        if let Some(codec) = &self.codec {
            printer.line(2).put("DECODE USING ").node(codec);
        }
        if after_codec {
            filter(printer);
        }
        for route in &self.routes {
            printer.line(2).put("TO ").node(&route.relay);
            route.construction.print_at(printer, 4);
            printer.line(4).node(&route.branching).line(4).node(&route.flush);
            route.on_message_error.print_at(printer.line(4), 4);
        }
        printer.line(2).node(&self.on_general_error);
    }
}

display!(IngestorMode, IngestorSource, Branching);
