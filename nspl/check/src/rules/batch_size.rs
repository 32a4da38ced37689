//! BATCH MAX SIZE fits what carries it.

use nspl_model::{Capabilities, SizeText};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1210",
    title: "BATCH MAX SIZE is at most what the sink, or a Flight message, can carry",
    fails: "",
    passes: "",
};

/// What a Flight message holds besides the batch (flight.md "Ends and limits").
pub(crate) const FLIGHT_ROOM_BYTES: u64 = 64 * 1024;

/// Above what a Flight message can carry.
pub(crate) fn above_flight(place: Span, bytes: u64, message: u64, node: Option<&str>) -> Diagnostic {
    let room = message.saturating_sub(FLIGHT_ROOM_BYTES);
    let of = node.map(|node| format!(" of node {node}")).unwrap_or_default();
    let message = format!(
        "BATCH MAX SIZE {} is above {}, which a Flight message{of} of {} can carry",
        SizeText(bytes),
        SizeText(room),
        SizeText(message)
    );
    let help = "write a smaller MAX SIZE, or start the workers with a larger --flight-max-message";
    let help = match node {
        Some(_) => help.to_owned(),
        None => format!(
            "{help}; while no node executes the graph, the least of the known nodes counts, and without any the default"
        ),
    };
    RULE.fault(place, message).help(help)
}

/// Above what the sink can carry.
pub(crate) fn above_sink(place: Span, sink: &Capabilities, bytes: u64, most: u64) -> Diagnostic {
    let message = format!("BATCH MAX SIZE {} is above {}", SizeText(bytes), SizeText(most));
    RULE.fault(
        place,
        format!(
            "{message}, the largest message of {} emitter",
            with_article(sink.kind)
        ),
    )
}
