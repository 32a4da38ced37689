//! Operators take the types of rulings section 5.

use nspl_model::DataType;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1306",
    title: "An operator is applied to a type that it takes",
    fails: emitter_example!("INHERIT id SET flag = input.tags = input.tags"),
    passes: emitter_example!("INHERIT id SET flag = id = id"),
};

/// The operator does not take the type.
pub(crate) fn fault(place: Span, symbol: &str, found: &DataType) -> Diagnostic {
    let takes = match symbol {
        "unary -" => "signed integers and floats",
        "+" | "-" | "*" | "/" | "%" => "numbers",
        "=" | "!=" | "CASE" => "integers, floats, BOOL, STRING, DATETIME and BYTES",
        _ => "integers, floats, STRING, DATETIME and BYTES",
    };
    let fault = RULE.fault(place, format!("{symbol} does not take {found}"));
    match (symbol, found) {
        ("+", DataType::String) => fault.help("texts are joined by concat(a, b)"),
        ("+" | "-", DataType::DateTime) => fault.help(
            "DATETIME takes no arithmetic: it is compared, as in at > '2026-01-01T00:00:00Z' AS DATETIME",
        ),
        _ => fault.help(format!("{symbol} takes {takes}")),
    }
}
