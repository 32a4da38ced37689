//! What random expressions have to meet, and what one of them does.

use nspl_model::{CastError, DataType, Expr, ExprKind, Function, Literal};

use crate::generator::converts;
use crate::values::{edges, types};

/// What there is to be met, in words.
pub(crate) fn everything() -> Vec<String> {
    let mut all: Vec<String> = Function::all()
        .map(|function| format!("call {}", function.name()))
        .collect();
    for of in types() {
        all.push(format!("column {of}"));
        all.push(format!("case of {of}"));
        all.extend(types().iter().filter(|to| converts(&of, to)).flat_map(|to| {
            [CastError::Fail, CastError::Null].map(|on_error| format!("cast {of} {to} {on_error:?}"))
        }));
        if of.is_numeric() {
            all.extend(["+", "-", "*", "/", "%"].map(|op| format!("{op} {of}")));
            all.extend(
                ["abs", "ceil", "ceiling", "floor", "round"].map(|name| format!("call {name} of {of}")),
            );
        }
        if of.is_integer() {
            all.push(format!("call to_hex of {of}"));
        }
        if of.is_signed() || of.is_float() {
            all.push(format!("minus {of}"));
        }
        if of.is_comparable() {
            all.extend(["=", "!="].map(|op| format!("{op} {of}")));
            all.push(format!("call nullif of {of}"));
            all.push(format!("case by {of}"));
        }
        if of.is_ordered() {
            all.extend(["<", "<=", ">", ">="].map(|op| format!("{op} {of}")));
        }
        if of.is_comparable() && of != DataType::Bytes {
            all.extend([CastError::Fail, CastError::Null].map(|on_error| format!("json {of} {on_error:?}")));
        }
        all.extend(["coalesce", "is_null", "leak_sensitive"].map(|name| format!("call {name} of {of}")));
        all.extend((0..edges(&of).len()).map(|index| format!("literal {of} {index}")));
        all.push(format!("null {of}"));
    }
    all.extend(["case by conditions", "AND BOOL", "OR BOOL", "NOT", "JSON_EXISTS"].map(str::to_owned));
    all
}

/// What the top of an expression is, in the words of [`everything`].
pub(crate) fn met(expr: &Expr) -> Vec<String> {
    let of = &expr.data_type;
    match &expr.kind {
        ExprKind::Literal(Literal::Null) => vec![format!("null {of}")],
        ExprKind::Literal(literal) => {
            let index = edges(of).iter().position(|edge| edge == literal);
            index
                .map(|index| format!("literal {of} {index}"))
                .into_iter()
                .collect()
        }
        ExprKind::Field(_) => vec![format!("column {of}")],
        ExprKind::Negate(_) => vec![format!("minus {of}")],
        ExprKind::Not(_) => vec!["NOT".into()],
        ExprKind::Binary { op, left, .. } => vec![format!("{} {}", op.symbol(), left.data_type)],
        ExprKind::Cast { operand, on_error } => vec![format!("cast {} {of} {on_error:?}", operand.data_type)],
        ExprKind::Call { function, args, .. } => {
            let name = format!("call {}", function.name());
            let first = args.first().map(|arg| format!("{name} of {}", arg.data_type));
            first.into_iter().chain([name]).collect()
        }
        ExprKind::Case { operand, .. } => vec![
            format!("case of {of}"),
            match operand {
                Some(operand) => format!("case by {}", operand.data_type),
                None => "case by conditions".into(),
            },
        ],
        ExprKind::JsonValue { on_error, .. } => vec![format!("json {of} {on_error:?}")],
        ExprKind::JsonExists { .. } => vec!["JSON_EXISTS".into()],
    }
}
