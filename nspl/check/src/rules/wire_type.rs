//! Wire types are those of the format (rulings section 4).

use nspl_model::{WireFormat, WireType};
use nspl_syntax::Name;

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1501",
    title: "A wire type is one of its format",
    fails: "CREATE WIRE JSON SCHEMA w MODE STRICT (id strng);",
    passes: "CREATE WIRE JSON SCHEMA w MODE STRICT (id String);",
};

/// The format has no such type.
pub(crate) fn fault(written: &Name, format: WireFormat) -> Diagnostic {
    let names = || format.types().iter().copied().map(WireType::name);
    let fault = RULE.fault(
        written.span,
        format!("{format} has no wire type {}", written.text),
    );
    match nearest(&written.text, names()) {
        Some(near) => fault.help(format!("it has a wire type {near}")),
        None => fault.help(format!(
            "its wire types: {}",
            names().collect::<Vec<_>>().join(", ")
        )),
    }
}
