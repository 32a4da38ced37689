//! A version of a resource that is named has been uploaded (companion section 2).

use nspl_syntax::Name;

use crate::Diagnostic;
use crate::resources::NoVersion;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1510",
    title: "A resource whose files are needed has the version that is named, or any",
    fails: "",
    passes: "",
};

/// `version` is what is asked for; `None`: the latest.
pub(crate) fn fault(resource: &Name, version: Option<u64>, missing: &NoVersion) -> Diagnostic {
    let name = &resource.text;
    let message = match (version, missing.latest) {
        (_, 0) => format!("RESOURCE {name} has no version yet"),
        (Some(version), latest) => {
            format!("RESOURCE {name} has no version {version}; its latest is {latest}")
        }
        (None, latest) => format!("RESOURCE {name} has no version after {latest}"),
    };
    RULE.fault(resource.span, message).help(format!(
        "UPLOAD RESOURCE {name} VERSION '<folder>' before this transaction"
    ))
}
