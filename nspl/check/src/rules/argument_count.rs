//! Functions have fixed numbers of arguments.

use nspl_model::Function;
use nspl_syntax::expression::Call;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1310",
    title: "A call has as many arguments as its function takes",
    fails: emitter_example!("INHERIT id SET note = lower(id, id)"),
    passes: emitter_example!("INHERIT id SET note = lower(id)"),
};

/// Too few or too many.
pub(crate) fn fault(call: &Call, function: Function) -> Diagnostic {
    let signature = function.signature();
    let (least, most) = (signature.required, signature.parameters.len());
    let takes = match (signature.variadic, least == most) {
        (true, _) => format!("at least {least}"),
        (false, true) => least.to_string(),
        (false, false) => format!("{least} to {most}"),
    };
    let plural = if takes == "1" { "argument" } else { "arguments" };
    let message = format!(
        "{}() takes {takes} {plural}, and has {} here",
        function.name(),
        call.arguments.len()
    );
    let fault = RULE.fault(call.span, message);
    match function {
        Function::Round => fault.help("round to digits by scaling: round(x * 100.0) / 100.0"),
        _ => fault,
    }
}
