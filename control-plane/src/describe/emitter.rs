//! DESCRIBE EMITTER: the lines of companion section 15, in its order.

use nspl::{
    Entity,
    model::{Body, Content, EmitterDef, GeneralPolicy, SinkDef},
};

use super::{Live, Placed, live_value, state_line};
use crate::rollout::Line;

/// Lines that only the executing node knows, in their order; one that it does not give is left out.
const LIVE_BEFORE_CONSUMERS: [&str; 3] = ["transient error", "reconnect backoff", "reconnect wait"];

pub(super) fn lines(emitter: &EmitterDef, entity: &Entity, placed: &Placed, live: Live) -> Vec<Line> {
    let mut lines = vec![
        Line::new("emitter", emitter.name.as_str()),
        Line::new("domain", emitter.domain.as_str()),
        state_line(placed, &live),
        Line::new("owner", placed.owner()),
        Line::new("attachment", emitter.attachment.to_string()),
        Line::new("from", nspl::source_texts(entity).join(", ")),
        Line::new(
            "collect",
            emitter
                .collect
                .map_or("none".into(), |collect| collect.to_string()),
        ),
    ];
    lines.extend(body(emitter));
    lines.push(sink(&emitter.sink, entity));
    let batch = emitter.batch.map_or("none".into(), |batch| batch.to_string());
    lines.extend([
        Line::new("batch", batch),
        Line::new("flush", emitter.flush.to_string()),
        Line::new("publishing mode", emitter.mode.to_string()),
        Line::new("message error", nspl::message_error_text(entity)),
        Line::new("general error", general_error(emitter.on_general_error)),
    ]);
    let known: Vec<String> = lines.iter().map(|line| line.key.clone()).collect();
    for key in LIVE_BEFORE_CONSUMERS {
        let value = live_value(&live, key).or_else(|| absent(key, &live));
        lines.extend(value.map(|value| Line::new(key, value)));
    }
    if let Live::Told(told) = live {
        let shown =
            |line: &Line| known.contains(&line.key) || LIVE_BEFORE_CONSUMERS.contains(&line.key.as_str());
        lines.extend(told.lines.into_iter().filter(|line| !shown(line)));
    }
    lines
}

/// `transient error: none` when there is none (rulings section 9); an absent node is one.
fn absent(key: &str, live: &Live) -> Option<String> {
    match live {
        _ if key != "transient error" => None,
        Live::Told(_) => Some("none".into()),
        Live::Unplaced => Some("no worker executes it".into()),
        Live::Silent(reason) => Some(reason.clone()),
    }
}

/// `codec`, and `body` where the sink has a choice; none where records leave as columns.
fn body(emitter: &EmitterDef) -> Vec<Line> {
    let (codec, body) = match &emitter.content {
        Content::Encoded(codec) => (codec.name.as_str(), "codec"),
        Content::Absent => ("none", "without body"),
        Content::Columns | Content::Mapped => return Vec::new(),
    };
    let choice = emitter.sink.kind().capabilities().body == Body::CodecOrNone;
    let body = choice.then(|| Line::new("body", body));
    [Line::new("codec", codec)].into_iter().chain(body).collect()
}

fn sink(sink: &SinkDef, entity: &Entity) -> Line {
    let client = sink.client().map(|client| format!(" client={}", client.name));
    let target = sink.target().map(|(word, name)| format!(" {word}={name}"));
    let request = nspl::request_texts(entity).map(|(method, path)| format!(" method={method} path={path}"));
    let facts: String = [client, target, request].into_iter().flatten().collect();
    Line::new("sink", format!("{}{facts}", sink.kind()))
}

fn general_error(policy: GeneralPolicy) -> &'static str {
    match policy {
        GeneralPolicy::Ignore => "IGNORE",
        GeneralPolicy::Log => "LOG",
    }
}
