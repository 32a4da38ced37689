//! Of an address the scheme, the host and the TLS options are checked (rulings section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1405",
    title: "An address of CONFIG has a scheme of its kind and a host",
    fails: "CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'http://h'};",
    passes: "CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'amqp://h'};",
};

/// The text is no such address; it is not quoted, since it may hold a password.
pub(crate) fn fault(place: Span, key: &str, why: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("'{key}' is no address of this kind of client: {why}"),
    )
}

/// The address does not choose what it has to.
pub(crate) fn unchosen(place: Span, key: &str, (parameter, values): (&str, &[&str])) -> Diagnostic {
    let choices: Vec<String> = values
        .iter()
        .map(|value| format!("{parameter}={value}"))
        .collect();
    RULE.fault(place, format!("'{key}' does not choose {}", choices.join(" or ")))
        .help(format!("write ?{} behind it", choices.join(" or ?")))
}

/// The address names no project, or no key of it.
pub(crate) fn no_project(place: Span, key: &str) -> Diagnostic {
    RULE.fault(place, format!("'{key}' addresses no project")).help(
        "write the public key before the host and the project behind it: https://<public-key>@sentry.example.com/<project-id>",
    )
}
