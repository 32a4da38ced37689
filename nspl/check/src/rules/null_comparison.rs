//! A comparison with NULL has no value (companion section 4).

use nspl_model::{BinaryOp, ExprKind};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::expression::Typed;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "W1004",
    title: "What may be null is tested with IS NULL",
    fails: emitter_example!("INHERIT id WHERE note = NULL"),
    passes: emitter_example!("INHERIT id WHERE note IS NULL"),
};

/// `tested` is compared with NULL.
pub(crate) fn fault(place: Span, op: BinaryOp, tested: &Typed) -> Diagnostic {
    let written = match &tested.expr.kind {
        ExprKind::Field(field) => field.to_string(),
        _ => "...".to_owned(),
    };
    let fault = RULE.fault(
        place,
        format!("{} NULL is null for every record, and never true", op.symbol()),
    );
    match op {
        BinaryOp::Equal => fault.help(format!("write {written} IS NULL")),
        BinaryOp::NotEqual => fault.help(format!("write {written} IS NOT NULL")),
        _ => fault.help("compare it with a value"),
    }
}
