//! A domain is dropped when nothing lives in it any more.

use nspl_model::EntityKey;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1007",
    title: "A domain that is dropped is empty",
    fails: "DROP DOMAIN d;",
    passes: "CREATE DOMAIN other; DROP DOMAIN other;",
};

/// `first` and others live in the domain, `count` in all.
pub(crate) fn fault(statement: Span, domain: &str, first: &EntityKey, count: usize) -> Diagnostic {
    let rest = if count > 1 {
        format!(" and {} more", count - 1)
    } else {
        String::new()
    };
    RULE.fault(statement, format!("DOMAIN {domain} holds {first}{rest}"))
        .help("drop what lives in it first, in one transaction of that domain")
}
