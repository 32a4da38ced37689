//! POOL SIZE stands where connections are pooled (companion section 13).

use nspl_model::ClientKind;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1408",
    title: "POOL SIZE is there for REDIS, POSTGRES, MYSQL and MONGODB alone, and in its range",
    fails: "CREATE CLIENT c TYPE REDIS CONFIG {'addr' = 'redis://h'};",
    passes: "CREATE CLIENT c TYPE REDIS POOL SIZE MIN 0 MAX 8 CONFIG {'addr' = 'redis://h'};",
};

/// The kind needs a pool.
pub(crate) fn missing(place: Span, kind: ClientKind) -> Diagnostic {
    RULE.fault(
        place,
        format!("{} client bounds its connections", with_article(kind)),
    )
    .help("write POOL SIZE MIN a MAX b behind the kind")
}

/// The kind has none.
pub(crate) fn barred(place: Span, kind: ClientKind) -> Diagnostic {
    RULE.fault(place, format!("{} client has no pool", with_article(kind)))
        .help("leave POOL SIZE out")
}

/// The numbers are out of range.
pub(crate) fn range(place: Span, max: u32) -> Diagnostic {
    RULE.fault(
        place,
        format!("POOL SIZE takes 0 <= MIN <= MAX and 1 <= MAX <= {max}"),
    )
}
