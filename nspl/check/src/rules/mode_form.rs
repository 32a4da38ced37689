//! MODE is a form that the sink takes (companion section 7).

use nspl_model::{Capabilities, ModeRule, Presence};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1207",
    title: "MODE is one of the forms of the sink",
    fails: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// The sink has no such mode.
pub(crate) fn fault(place: Span, sink: &Capabilities) -> Diagnostic {
    let forms: Vec<String> = sink.modes.iter().map(form).collect();
    RULE.fault(
        place,
        format!("{} emitter does not take this MODE", with_article(sink.kind)),
    )
    .help(format!("write MODE {}", forms.join(" or MODE ")))
}

fn form(rule: &ModeRule) -> String {
    let window = if rule.windowed {
        " SEQUENTIAL | PARALLEL MAX n"
    } else {
        ""
    };
    let timeout = if rule.timeout == Presence::Required {
        " ACK TIMEOUT d"
    } else {
        ""
    };
    format!(
        "{}{window}{timeout} RETRY POLICY BACKOFF d MAX d",
        rule.form.words()
    )
}
