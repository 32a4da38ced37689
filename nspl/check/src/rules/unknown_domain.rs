//! A domain that is used exists (companion section 2).

use std::ops::Range;

use crate::Catalog;
use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1006",
    title: "USE and --domain name a domain that exists",
    fails: "USE nowhere;",
    passes: "CREATE DOMAIN nowhere; USE nowhere;",
};

/// There is no domain of that name.
pub(crate) fn fault(place: Range<usize>, domain: &str, catalog: &Catalog) -> Diagnostic {
    let fault = RULE.fault(place, format!("there is no DOMAIN {domain}"));
    let known = catalog.domains();
    match nearest(domain, known.iter().map(|name| &**name)) {
        Some(near) => fault.help(format!("DOMAIN {near} exists")),
        None => fault.help(format!("write CREATE DOMAIN {domain}; before it")),
    }
}
