//! An expression as it is written in NSPL: every part in parentheses, every constant with its type.

use nspl_model::{CastError, DataType, DateTimeText, Expr, ExprKind, JsonPath, JsonStep, Literal};

/// The text; `None` where a constant has none: lists take their type from their place, and BYTES is written as text.
pub(crate) fn written(expr: &Expr) -> Option<String> {
    let of = &expr.data_type;
    Some(match &expr.kind {
        ExprKind::Literal(value) => literal(value, of)?,
        ExprKind::Field(field) => field.to_string(),
        ExprKind::Negate(operand) => format!("(- {})", written(operand)?),
        ExprKind::Not(operand) => format!("(NOT {})", written(operand)?),
        ExprKind::Binary { op, left, right } => {
            format!("({} {} {})", written(left)?, op.symbol(), written(right)?)
        }
        ExprKind::Cast { operand, on_error } => match on_error {
            CastError::Fail => format!("({} AS {of})", written(operand)?),
            CastError::Null => format!("TRY_CAST({} AS {of})", written(operand)?),
        },
        ExprKind::Call { function, args, .. } => format!("{}({})", function.name(), list(args)?),
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        } => case(operand.as_deref(), arms, otherwise.as_deref())?,
        ExprKind::JsonValue {
            document,
            path,
            on_error,
        } => {
            let name = match on_error {
                CastError::Fail => "JSON_VALUE",
                CastError::Null => "TRY_JSON_VALUE",
            };
            format!("{name}({}, '{}' AS {of})", written(document)?, place(path))
        }
        ExprKind::JsonExists { document, path } => {
            format!("JSON_EXISTS({}, '{}')", written(document)?, place(path))
        }
    })
}

fn list(args: &[Expr]) -> Option<String> {
    let args: Option<Vec<String>> = args.iter().map(written).collect();
    Some(args?.join(", "))
}

/// A condition of one arm with an ELSE is written as IF.
fn case(operand: Option<&Expr>, arms: &[(Expr, Expr)], otherwise: Option<&Expr>) -> Option<String> {
    if let (None, [(when, then)], Some(otherwise)) = (operand, arms, otherwise) {
        let (when, then, otherwise) = (written(when)?, written(then)?, written(otherwise)?);
        return Some(format!("IF {when} THEN {then} ELSE {otherwise} END"));
    }
    let mut text = "CASE".to_owned();
    if let Some(operand) = operand {
        text.push_str(&format!(" {}", written(operand)?));
    }
    for (when, then) in arms {
        text.push_str(&format!(" WHEN {} THEN {}", written(when)?, written(then)?));
    }
    if let Some(otherwise) = otherwise {
        text.push_str(&format!(" ELSE {}", written(otherwise)?));
    }
    text.push_str(" END");
    Some(text)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn literal(value: &Literal, of: &DataType) -> Option<String> {
    let text = match value {
        Literal::Null => "NULL".to_owned(),
        Literal::Bool(value) => return Some(value.to_string().to_uppercase()),
        Literal::String(value) => return Some(quoted(value)),
        Literal::F32(value) if value.is_finite() => format!("{value:?}"),
        Literal::F32(value) => quoted(&value.to_string()),
        Literal::F64(value) if value.is_finite() => format!("{value:?}"),
        Literal::F64(value) => quoted(&value.to_string()),
        Literal::DateTime(nanos) => quoted(DateTimeText::of(*nanos).as_str()),
        Literal::Bytes(bytes) => quoted(std::str::from_utf8(bytes).ok()?),
        Literal::List(_) => return None,
        number => number.as_integer()?.to_string(),
    };
    Some(format!("({text} AS {of})"))
}

fn place(path: &JsonPath) -> String {
    let steps = path.steps.iter().map(|step| match step {
        JsonStep::Name(name) => format!("[\"{name}\"]"),
        JsonStep::Index(index) => format!("[{index}]"),
    });
    format!("${}", steps.collect::<String>())
}
