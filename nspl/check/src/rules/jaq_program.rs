//! Programs of JAQ TRANSFORMATIONS compile (rulings section 3).

use nspl_jaq::Fault;
use nspl_syntax::Text;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1507",
    title: "A program of JAQ TRANSFORMATIONS compiles",
    fails: "CREATE CODEC c FROM JSON TO SCHEMA failure WITH JAQ TRANSFORMATIONS ON EMITTING '{payload: upper(.reason)}';",
    passes: "CREATE CODEC c FROM JSON TO SCHEMA failure WITH JAQ TRANSFORMATIONS ON EMITTING '{payload: .reason | ascii_upcase}';",
};

/// The fault stands inside the literal.
pub(crate) fn fault(clause: &str, program: &Text, fault: &Fault) -> Diagnostic {
    RULE.fault(
        program.place(fault.span.clone()),
        format!("the program of {clause} does not compile: {}", fault.reason),
    )
    .help("a program is a filter of jq's language, such as {name: .name | ascii_upcase}")
}
