//! A whole typed expression at once.

use nspl_model::{Expr, ExprKind};

use super::{Folded, node};

/// The value of an expression of constants, as validation works it out; `None` when it is no constant, or a text that
/// is too long to keep. What a CASE, a coalesce, an AND or an OR does not reach does not count, as at run time.
///
/// # Errors
/// Why the expression fails for every record (rulings section 5).
pub fn constant_value(expr: &Expr) -> Folded {
    match &expr.kind {
        ExprKind::Literal(literal) => Ok(Some(literal.clone())),
        ExprKind::Field(_) => Ok(None),
        ExprKind::Negate(operand) => node::negate(&operand.data_type, constant_value(operand)),
        ExprKind::Not(operand) => node::not(constant_value(operand)),
        ExprKind::Binary { op, left, right } => {
            node::binary(*op, &left.data_type, constant_value(left), constant_value(right))
        }
        ExprKind::Cast { operand, on_error } => {
            node::cast(&expr.data_type, *on_error, constant_value(operand))
        }
        ExprKind::Call { function, args, .. } => {
            node::call(*function, args.iter().map(constant_value).collect())
        }
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        } => node::case(
            operand.as_deref().map(constant_value),
            arms.iter()
                .map(|(when, then)| (constant_value(when), constant_value(then))),
            otherwise.as_deref().map(constant_value),
        ),
        ExprKind::JsonValue {
            document,
            path,
            on_error,
        } => node::json_value((path, &expr.data_type), *on_error, constant_value(document)),
        ExprKind::JsonExists { document, path } => node::json_exists(path, constant_value(document)),
    }
}
