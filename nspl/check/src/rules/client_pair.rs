//! Some keys of CONFIG go together, some exclude one another (rulings section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1406",
    title: "Keys that go together are both there, of keys that exclude one another one",
    fails: "CREATE CLIENT c TYPE NATS CONFIG {'addr' = 'nats://h', 'username' = 'u'};",
    passes: "CREATE CLIENT c TYPE NATS CONFIG {'addr' = 'nats://h', 'username' = 'u', 'password' = 'p'};",
};

/// One of a pair is there without the other.
pub(crate) fn alone(place: Span, written: &str, missing: &str) -> Diagnostic {
    RULE.fault(place, format!("'{written}' needs '{missing}' beside it"))
}

/// Two ways to do one thing.
pub(crate) fn both(place: Span, second: &str, first: (&str, Span)) -> Diagnostic {
    RULE.fault(place, format!("'{second}' and '{}' exclude one another", first.0))
        .label(first.1.range(), "the first of them")
}
