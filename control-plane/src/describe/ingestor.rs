//! DESCRIBE INGESTOR: its source, mode and routes, then what its node says.

use nspl::model::{IngestMode, IngestorDef, RouteDef, SourceKind};

use super::{Live, Placed, state_line};
use crate::rollout::Line;

pub(super) fn lines(ingestor: &IngestorDef, placed: &Placed, live: Live) -> Vec<Line> {
    let mut lines = vec![
        Line::new("ingestor", ingestor.name.as_str()),
        Line::new("domain", ingestor.domain.as_str()),
        state_line(placed, &live),
        Line::new("owner", placed.owner()),
        Line::new("source", source(&ingestor.source)),
        Line::new("mode", mode(&ingestor.mode)),
        Line::new(
            "to",
            ingestor.routes.iter().map(route).collect::<Vec<_>>().join(", "),
        ),
    ];
    match live {
        Live::Told(told) => {
            let known: Vec<String> = lines.iter().map(|line| line.key.clone()).collect();
            lines.extend(told.lines.into_iter().filter(|line| !known.contains(&line.key)));
        }
        Live::Unplaced => lines.push(Line::new("transient error", "no worker executes it")),
        Live::Silent(reason) => lines.push(Line::new("transient error", reason)),
    }
    lines
}

fn source(source: &SourceKind) -> String {
    match source {
        SourceKind::Client { schema } => format!("CLIENT schema={}", schema.name),
        SourceKind::Kafka {
            client,
            topic,
            group,
            instances,
            codec,
        } => format!(
            "KAFKA client={} topic={topic} group={group} instances={instances} codec={}",
            client.name, codec.name
        ),
    }
}

fn mode(mode: &IngestMode) -> String {
    match mode {
        IngestMode::Ack => "ACK".into(),
        IngestMode::AckWindow(window) => format!("ACK {window}"),
        IngestMode::NoAck => "NO_ACK".into(),
    }
}

fn route(route: &RouteDef) -> String {
    match &route.relay.branch {
        Some(branch) => format!("{} branched by {} {}", route.relay.name, branch.name, route.flush),
        None => format!("{} {}", route.relay.name, route.flush),
    }
}
