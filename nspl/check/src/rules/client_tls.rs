//! TLS files belong to TLS connections (rulings section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1407",
    title: "TLS files stand beside an address that is TLS",
    fails: "CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'amqp://h', 'tls_ca_file' = '/ca.pem'};",
    passes: "CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'amqps://h', 'tls_ca_file' = '/ca.pem'};",
};

/// The connection is not a TLS one; `how` says what would make it one.
pub(crate) fn fault(place: Span, how: &str) -> Diagnostic {
    RULE.fault(place, "TLS files are given, and the connection is not a TLS one")
        .help(format!("write {how}, or leave the files out"))
}

/// MQTT over TLS names its certificate authority.
pub(crate) fn needs_ca(config: Span) -> Diagnostic {
    RULE.fault(config, "mqtts:// needs 'tls_ca_file'")
}
