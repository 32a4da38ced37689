//! Workers have the files of mounted resources, and no others that a script could name (rulings section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1411",
    title: "In a cluster a file that CONFIG names is one of the mounted resource",
    fails: "",
    passes: "",
};

/// The path leads elsewhere; `mounted` is the resource whose files there are.
pub(crate) fn fault(place: Span, key: &str, mounted: Option<&str>) -> Diagnostic {
    let fault = RULE.fault(
        place,
        format!("'{key}' names a file outside of a mounted resource, and workers have no other files"),
    );
    match mounted {
        Some(resource) => fault.help(format!("write '{{{{ {resource} }}}}/...', a file of RESOURCE {resource}")),
        None => fault.help("upload the file in a RESOURCE, write MOUNT <resource> VERSION LATEST before CONFIG and '{{ <resource> }}/...' as the path"),
    }
}
