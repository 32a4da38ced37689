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

/// Postgres has two TLS policies.
pub(crate) fn sslmode(place: Span) -> Diagnostic {
    RULE.fault(place, "the address does not choose a TLS policy")
        .help("add ?sslmode=verify-full, or ?sslmode=disable for a connection without encryption")
}

/// A Sentry project is addressed by its public key and its number.
pub(crate) fn no_project(place: Span) -> Diagnostic {
    RULE.fault(place, "'dsn' addresses no project")
        .help("write it as Sentry shows it: https://<public-key>@sentry.example.com/<project-id>")
}
