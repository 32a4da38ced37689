//! Scopes are read where they exist (companion section 5, rulings section 3).

use nspl_syntax::{Name, Span};

use crate::Diagnostic;
use crate::expression::Place;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1302",
    title: "A scope is read only where it is available",
    fails: emitter_example!("INHERIT id SET note = branch.origin"),
    passes: emitter_example!("INHERIT id SET note = input.note"),
};

/// The scope is not to be had at this place, or is none.
pub(crate) fn fault(place: Span, scope: &str, at: Place) -> Diagnostic {
    let readable = match at {
        Place::SourceFilter => "input and message",
        Place::Set | Place::Finished => "input, output, message and relay_state",
        Place::SourceRow => "input, message and relay_state",
        Place::OrderingGroup => "input",
        Place::ErrorRoute => "input, relay_state, partial_output and error",
        Place::Constant => "nothing",
    };
    let message = match scope {
        "output" => "output is not available here: nothing is constructed".to_owned(),
        "branch" => "branch is not available in expressions".to_owned(),
        "relay_state" if at == Place::OrderingGroup => {
            "relay_state is not available in FIFO GROUP".to_owned()
        }
        "relay_state" => "relay_state is not available in the WHERE of a source".to_owned(),
        "message" => "message is not available here: what is read is the source row".to_owned(),
        "error" | "partial_output" => format!("{scope} is available in error routes only"),
        other => format!("{other} is no scope; fields are not qualified by their relay"),
    };
    RULE.fault(place, message)
        .help(format!("readable here: {readable}"))
}

/// The error route of an emitter WITHOUT BODY.
pub(crate) fn nothing_attempted(place: Span) -> Diagnostic {
    RULE.fault(
        place,
        "partial_output is not available here: the emitter constructs no record",
    )
    .help("readable here: input, relay_state and error")
}

/// Error routes read qualified names only.
pub(crate) fn unqualified(place: Span, qualifier: Option<&str>, field: &str) -> Diagnostic {
    let message = match qualifier {
        Some(qualifier) => format!("{qualifier} is not available in error routes"),
        None => format!("{field} needs a scope in an error route"),
    };
    RULE.fault(place, message).help(format!(
        "write input.{field}, partial_output.{field} or error.{field}"
    ))
}

/// `relay_state.f` lacks the relay.
pub(crate) fn state_needs_relay(place: Span) -> Diagnostic {
    RULE.fault(place, "relay_state needs the name of a relay")
        .help("write relay_state.<relay>.<field>")
}

/// An ingestor depends on no relay.
pub(crate) fn state_in_ingestor(place: Span) -> Diagnostic {
    RULE.fault(place, "relay_state is not available in an ingestor")
        .help("USING MATERIALIZED STATE is a clause of emitters")
}

/// The definition does not depend on the relay.
pub(crate) fn no_dependency(relay: &Name) -> Diagnostic {
    RULE.fault(
        relay.span,
        format!("the state of RELAY {} is no dependency here", relay.text),
    )
    .help(format!(
        "write USING MATERIALIZED STATE {} REQUIRED WAIT | REQUIRED SKIP | DEFAULT {{...}} before TO",
        relay.text
    ))
}
