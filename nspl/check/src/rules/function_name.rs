//! Functions are those of companion section 4.

use nspl_model::Function;
use nspl_syntax::Name;

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1309",
    title: "A function that is called exists",
    fails: emitter_example!("INHERIT id SET note = lowercase(id)"),
    passes: emitter_example!("INHERIT id SET note = lower(id)"),
};

/// There is no such function.
pub(crate) fn fault(name: &Name) -> Diagnostic {
    if name.text.eq_ignore_ascii_case("write_header") {
        return RULE
            .fault(name.span, "write_header is no function of expressions")
            .help("it stands in INVOKE");
    }
    let fault = RULE.fault(name.span, format!("there is no function {}", name.text));
    match nearest(&name.text, Function::all().map(Function::name)) {
        Some(near) => fault.help(format!("there is {near}()")),
        None => fault,
    }
}
