//! Both sides of an operator, and all arms, have one type (companion section 4).

use nspl_model::{DataType, ExprKind};
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
    RULE.fault(place, format!("{symbol} takes two values of one type"))
        .label(left.span.range(), format!("this is {}", left.expr.data_type))
        .label(right.span.range(), format!("this is {}", right.expr.data_type))
        .help(remedy(left, right))
}

/// Two of a group differ.
pub(crate) fn differing(what: &str, first: &Typed, other: &Typed) -> Diagnostic {
    RULE.fault(other.span, format!("{what} have one type"))
        .label(first.span.range(), format!("this is {}", first.expr.data_type))
        .label(other.span.range(), format!("this is {}", other.expr.data_type))
        .help(remedy(first, other))
}

/// Which of two to convert: the one whose every value the other's type has, else the second.
fn remedy(first: &Typed, second: &Typed) -> String {
    let (one, other) = (&first.expr.data_type, &second.expr.data_type);
    let (from, to) = match (other.widens_to(one), one.widens_to(other)) {
        (false, true) => (first, other),
        _ => (second, one),
    };
    let found = &from.expr.data_type;
    if !converts(found, to) {
        return format!("{found} is not converted to {to}: compare or compute with a field of the same type");
    }
    let written = match &from.expr.kind {
        ExprKind::Field(field) => field.to_string(),
        _ => format!("the side that is {found}"),
    };
    let fails = match found.widens_to(to) || *to == DataType::String {
        true => "",
        false => "; a record whose value does not fit fails",
    };
    format!("convert one of them: {written} AS {to}{fails}")
}
