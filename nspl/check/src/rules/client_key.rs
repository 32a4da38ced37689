//! Keys of CONFIG are those of the kind (rulings section 8).

use nspl_model::ClientKind;
use nspl_syntax::Text;

use crate::Diagnostic;
use crate::article::with_article;
use crate::nearest::nearest;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1402",
    title: "A key of CONFIG belongs to the kind of the client, and is not one that Nervix sets itself",
    fails: "CREATE CLIENT c TYPE SQS CONFIG {'region' = 'eu-west-1', 'time_out_ms' = 5};",
    passes: "CREATE CLIENT c TYPE SQS CONFIG {'region' = 'eu-west-1', 'timeout_ms' = 5};",
};

/// The kind has no such key.
pub(crate) fn unknown(key: &Text, kind: ClientKind) -> Diagnostic {
    let fault = RULE.fault(
        key.span,
        format!("{} client has no key '{}'", with_article(kind), key.value),
    );
    if let Some(near) = nearest(&key.value, kind.key_names()) {
        return fault.help(format!("it has a key '{near}'"));
    }
    match ClientKind::all().find(|other| other.key_names().any(|known| known == key.value)) {
        Some(other) => fault.help(format!("'{}' is a key of {other} clients", key.value)),
        None => {
            let keys: Vec<&str> = kind.key_names().collect();
            fault.help(format!("its keys: {}", keys.join(", ")))
        }
    }
}

/// Nervix sets the key itself.
pub(crate) fn owned(key: &Text) -> Diagnostic {
    RULE.fault(key.span, format!("Nervix sets '{}' itself", key.value))
        .help("leave it out")
}
