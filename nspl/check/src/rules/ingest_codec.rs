//! An ingestor FROM CLIENT reads Arrow.

use nspl_syntax::Name;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1220",
    title: "An ingestor FROM CLIENT has no codec",
    fails: "",
    passes: "",
};

/// What applications write needs no decoding.
pub(crate) fn fault(codec: &Name) -> Diagnostic {
    RULE.fault(codec.span, "an ingestor FROM CLIENT takes no DECODE USING")
        .help("leave it out: applications write Arrow")
}
