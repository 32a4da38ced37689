//! Programs of JAQ TRANSFORMATIONS read their input and `now`, and nothing else (rulings section 9).

use nspl_jaq::Fault;
use nspl_syntax::Text;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1508",
    title: "A program of JAQ TRANSFORMATIONS reads nothing but its input and now, and writes nothing but its output",
    fails: "CREATE CODEC c FROM JSON TO SCHEMA failure WITH JAQ TRANSFORMATIONS ON EMITTING '{host: env.HOST, reason}';",
    passes: "CREATE CODEC c FROM JSON TO SCHEMA failure WITH JAQ TRANSFORMATIONS ON EMITTING '{at: now, reason}';",
};

/// The fault stands inside the literal.
pub(crate) fn fault(clause: &str, program: &Text, fault: &Fault) -> Diagnostic {
    RULE.fault(
        program.place(fault.span.clone()),
        format!("the program of {clause}: {}", fault.reason),
    )
    .help("it has its input and `now`, the instant of its records")
}
