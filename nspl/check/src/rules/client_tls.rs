//! Keys of TLS belong to TLS connections (rulings section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1407",
    title: "Keys of TLS stand beside an address that is TLS",
    fails: "CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'amqp://h', 'tls_ca_file' = '/ca.pem'};",
    passes: "CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'amqps://h', 'tls_ca_file' = '/ca.pem'};",
};

/// The connection is not a TLS one; `how` says what would make it one.
pub(crate) fn fault(place: Span, key: &str, how: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("'{key}' is given, and the connection is not a TLS one"),
    )
    .help(format!("write {how}, or leave the keys of TLS out"))
}

/// TLS of this kind names its certificate authority; `how` is what makes the connection a TLS one.
pub(crate) fn needs_ca(config: Span, how: &str) -> Diagnostic {
    RULE.fault(config, format!("{how} needs 'tls_ca_file'"))
}
