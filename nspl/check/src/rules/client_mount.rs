//! A resource that a value names is mounted (rulings section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1409",
    title: "{{ resource }} in CONFIG names the mounted resource",
    fails: "CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'amqps://h', 'tls_ca_file' = '{{ files }}/ca.pem'};",
    passes: "CREATE CLIENT c TYPE RABBITMQ MOUNT files VERSION LATEST CONFIG {'addr' = 'amqps://h', 'tls_ca_file' = '{{ files }}/ca.pem'};",
};

/// The value names something that is not mounted.
pub(crate) fn fault(place: Span, name: &str, mounted: Option<&str>) -> Diagnostic {
    let fault = RULE.fault(place, format!("RESOURCE {name} is not mounted"));
    match mounted {
        Some(mounted) => fault.help(format!("RESOURCE {mounted} is")),
        None => fault.help(format!("write MOUNT {name} VERSION LATEST before CONFIG")),
    }
}
