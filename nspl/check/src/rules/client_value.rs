//! Values of CONFIG have the type of their key (rulings section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1404",
    title: "A value of CONFIG is of the sort that its key takes",
    fails: "CREATE CLIENT c TYPE SQS CONFIG {'region' = 'eu-west-1', 'timeout_ms' = '5'};",
    passes: "CREATE CLIENT c TYPE SQS CONFIG {'region' = 'eu-west-1', 'timeout_ms' = 5};",
};

/// The key takes something else.
pub(crate) fn fault(place: Span, key: &str, takes: &str) -> Diagnostic {
    RULE.fault(place, format!("'{key}' takes {takes}"))
}

/// The value is neither string nor number nor boolean.
pub(crate) fn no_scalar(place: Span, key: &str) -> Diagnostic {
    RULE.fault(place, format!("'{key}' takes a string, a number, true or false"))
}

/// A message over UDP is one datagram.
pub(crate) fn syslog_datagram(place: Span, most: u64) -> Diagnostic {
    RULE.fault(place, format!("a datagram carries at most {most} bytes"))
        .help(format!(
            "'max_message_size' of at most {most}, or 'protocol' = 'tcp'"
        ))
}

/// TLS has one framing.
pub(crate) fn syslog_framing(place: Span) -> Diagnostic {
    RULE.fault(place, "syslog over TLS is framed by octet-counting")
        .help("leave 'framing' out")
}
