//! Both sides of an operator, and all arms, have one type (companion section 4).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::constant::convert::converts;
use crate::expression::Typed;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1305",
    title: "Operands, arms and arguments that belong together have one exact type",
    fails: emitter_example!("INHERIT id SET flag = input.amount = small"),
    passes: emitter_example!("INHERIT id SET flag = input.amount = small AS I64"),
};

/// The two sides of an operator differ.
pub(crate) fn fault(place: Span, symbol: &str, left: &Typed, right: &Typed) -> Diagnostic {
    let (from, to) = (&right.expr.data_type, &left.expr.data_type);
    let fault = RULE
        .fault(place, format!("{symbol} takes two values of one type"))
        .label(left.span.range(), format!("this is {to}"))
        .label(right.span.range(), format!("this is {from}"));
    if converts(from, to) {
        fault.help(format!("convert one of them: ... AS {to}"))
    } else {
        fault
    }
}

/// Two of a group differ.
pub(crate) fn differing(what: &str, first: &Typed, other: &Typed) -> Diagnostic {
    RULE.fault(other.span, format!("{what} have one type"))
        .label(first.span.range(), format!("this is {}", first.expr.data_type))
        .label(other.span.range(), format!("this is {}", other.expr.data_type))
}
