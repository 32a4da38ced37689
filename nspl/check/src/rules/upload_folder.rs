//! UPLOAD RESOURCE names a folder (companion section 2, rulings section 1).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1516",
    title: "UPLOAD RESOURCE names a folder, relative to that of the script",
    fails: "UPLOAD RESOURCE files VERSION '';",
    passes: "UPLOAD RESOURCE files VERSION '.';",
};

/// The text is no path.
pub(crate) fn fault(place: Span) -> Diagnostic {
    RULE.fault(place, "this is no path of a folder")
        .help("write a path relative to the script's folder, '.' for that folder itself")
}
