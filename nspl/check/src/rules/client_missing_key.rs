//! CONFIG has the required keys of the kind (rulings section 8).

use nspl_model::ClientKind;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1403",
    title: "CONFIG has every key that the kind requires",
    fails: "CREATE CLIENT c TYPE SQS CONFIG {'timeout_ms' = 5};",
    passes: "CREATE CLIENT c TYPE SQS CONFIG {'timeout_ms' = 5, 'region' = 'eu-west-1'};",
};

/// Required keys that are not there.
pub(crate) fn fault(config: Span, kind: ClientKind, missing: &[&str]) -> Diagnostic {
    RULE.fault(
        config,
        format!("{} client needs '{}'", with_article(kind), missing.join("', '")),
    )
}
