//! What stands for a secret is no secret (rulings section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1410",
    title: "A secret of CONFIG is the secret, not '***'",
    fails: "CREATE CLIENT c TYPE REDIS POOL SIZE MIN 0 MAX 8 CONFIG {'addr' = 'redis://h', 'password' = '***'};",
    passes: "CREATE CLIENT c TYPE REDIS POOL SIZE MIN 0 MAX 8 CONFIG {'addr' = 'redis://h', 'password' = 'x'};",
};

/// Text of SHOW CREATE came back.
pub(crate) fn fault(place: Span, key: &str) -> Diagnostic {
    RULE.fault(place, format!("'{key}' is masked here"))
        .help("SHOW CREATE shows *** in place of a secret; write the secret itself")
}
