//! Keys of CONFIG are those of the kind (rulings section 8).

use nspl_model::ClientKind;
use nspl_syntax::Text;

use crate::Diagnostic;
use crate::article::with_article;
use crate::nearest::nearest;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1402",
    title: "A key of CONFIG belongs to the kind of the client, and is none that Nervix sets itself or that runs other code",
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

/// The key would run a command or load code on workers.
pub(crate) fn foreign_code(key: &Text) -> Diagnostic {
    RULE.fault(
        key.span,
        format!(
            "'{}' runs a command or loads code on workers, which no CONFIG may",
            key.value
        ),
    )
    .help("leave it out; what the machines of workers need is prepared on them")
}
