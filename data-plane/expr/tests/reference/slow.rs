//! The slow evaluator: one row, one value at a time, written from the rulings and not from the columns.

use std::cmp::Ordering;

use nervix_expr::Fault;
use nspl_model::{BinaryOp, CastError, DataType, Expr, ExprKind, Function, Literal};

/// A value of one of the types of the generator.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// I8.
    I8(i8),
    /// I64.
    I64(i64),
    /// F64.
    F64(f64),
    /// BOOL.
    Bool(bool),
    /// STRING.
    Text(String),
}

/// A value, null, or why there is none.
pub(crate) type Answer = Result<Option<Value>, Fault>;

/// The value of an expression in the row that `read` reads.
pub(crate) fn evaluate(expr: &Expr, read: &dyn Fn(usize) -> Option<Value>) -> Answer {
    let eval = |expr: &Expr| evaluate(expr, read);
    match &expr.kind {
        ExprKind::Literal(literal) => Ok(match literal {
            Literal::I8(value) => Some(Value::I8(*value)),
            Literal::I64(value) => Some(Value::I64(*value)),
            Literal::F64(value) => Some(Value::F64(*value)),
            Literal::Bool(value) => Some(Value::Bool(*value)),
            Literal::String(value) => Some(Value::Text(value.clone())),
            _ => None,
        }),
        ExprKind::Field(field) => Ok(read(field.index)),
        ExprKind::Negate(operand) => eval(operand)?.map(negate).transpose(),
        ExprKind::Not(operand) => Ok(eval(operand)?.map(|value| Value::Bool(value != Value::Bool(true)))),
        ExprKind::Binary {
            op: op @ (BinaryOp::And | BinaryOp::Or),
            left,
            right,
        } => logic(*op == BinaryOp::Or, eval(left), eval(right)),
        ExprKind::Binary { op, left, right } => {
            let (left, right) = (eval(left)?, eval(right)?);
            match (left, right) {
                (Some(left), Some(right)) if op.is_comparison() => {
                    Ok(Some(Value::Bool(holds(*op, order(&left, &right)))))
                }
                (Some(left), Some(right)) => arithmetic(*op, left, right).map(Some),
                _ => Ok(None),
            }
        }
        ExprKind::Cast { operand, on_error } => {
            let Some(value) = eval(operand)? else {
                return Ok(None);
            };
            match (cast(value, &expr.data_type), on_error) {
                (Err(_), CastError::Null) => Ok(None),
                (result, _) => result.map(Some),
            }
        }
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        } => {
            let operand = match operand {
                Some(operand) => Some(eval(operand)?),
                None => None,
            };
            for (when, then) in arms {
                let when = eval(when)?;
                let hit = match (&operand, when) {
                    (None, when) => when == Some(Value::Bool(true)),
                    (Some(Some(operand)), Some(when)) => order(operand, &when) == Ordering::Equal,
                    _ => false,
                };
                if hit {
                    return eval(then);
                }
            }
            otherwise.as_ref().map_or(Ok(None), |otherwise| eval(otherwise))
        }
        ExprKind::Call { function, args, .. } => call(*function, args, &eval),
        _ => panic!("the generator makes no such node"),
    }
}

fn logic(decisive: bool, left: Answer, right: Answer) -> Answer {
    let decides = |side: &Answer| *side == Ok(Some(Value::Bool(decisive)));
    if decides(&left) || decides(&right) {
        return Ok(Some(Value::Bool(decisive)));
    }
    let (left, right) = (left?, right?);
    Ok(left.and(right).map(|_| Value::Bool(!decisive)))
}

fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::I8(a), Value::I8(b)) => a.cmp(b),
        (Value::I64(a), Value::I64(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::F64(a), Value::F64(b)) => a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
        _ => panic!("operands have one type"),
    }
}

fn holds(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessOrEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn negate(value: Value) -> Result<Value, Fault> {
    match value {
        Value::F64(value) => Ok(Value::F64(-value)),
        Value::I8(value) => narrow(-i128::from(value), true),
        Value::I64(value) => narrow(-i128::from(value), false),
        _ => panic!("only numbers have a minus"),
    }
}

fn narrow(value: i128, small: bool) -> Result<Value, Fault> {
    if small {
        i8::try_from(value).map(Value::I8).map_err(|_| Fault::Overflow)
    } else {
        i64::try_from(value).map(Value::I64).map_err(|_| Fault::Overflow)
    }
}

fn arithmetic(op: BinaryOp, left: Value, right: Value) -> Result<Value, Fault> {
    let (a, b, small) = match (left, right) {
        (Value::F64(a), Value::F64(b)) => {
            let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
            if divides && b == 0.0 {
                return Err(Fault::DivisionByZero);
            }
            return Ok(Value::F64(match op {
                BinaryOp::Add => a + b,
                BinaryOp::Subtract => a - b,
                BinaryOp::Multiply => a * b,
                BinaryOp::Divide => a / b,
                _ => a % b,
            }));
        }
        (Value::I8(a), Value::I8(b)) => (i128::from(a), i128::from(b), true),
        (Value::I64(a), Value::I64(b)) => (i128::from(a), i128::from(b), false),
        _ => panic!("operands have one type"),
    };
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        _ if b == 0 => return Err(Fault::DivisionByZero),
        BinaryOp::Divide => a / b,
        _ => a % b,
    };
    narrow(result, small)
}

fn cast(value: Value, to: &DataType) -> Result<Value, Fault> {
    match (value, to) {
        (value @ Value::I8(_), DataType::I8)
        | (value @ Value::I64(_), DataType::I64)
        | (value @ Value::F64(_), DataType::F64)
        | (value @ Value::Bool(_), DataType::Bool)
        | (value @ Value::Text(_), DataType::String) => Ok(value),
        (Value::I8(value), DataType::I64) => Ok(Value::I64(value.into())),
        (Value::I64(value), DataType::I8) => {
            i8::try_from(value).map(Value::I8).map_err(|_| Fault::OutOfRange)
        }
        (Value::I8(value), DataType::F64) => Ok(Value::F64(value.into())),
        (Value::I64(value), DataType::F64) => {
            let near = value as f64;
            if near as i128 == i128::from(value) {
                Ok(Value::F64(near))
            } else {
                Err(Fault::OutOfRange)
            }
        }
        (Value::F64(value), to) if *to != DataType::String => {
            if value.fract() != 0.0 || !value.is_finite() {
                return Err(Fault::OutOfRange);
            }
            narrow(value as i128, *to == DataType::I8).map_err(|_| Fault::OutOfRange)
        }
        (Value::Text(text), to) => parse(&text, to),
        (Value::Bool(value), _) => Ok(Value::Text(value.to_string())),
        (Value::I8(value), _) => Ok(Value::Text(value.to_string())),
        (Value::I64(value), _) => Ok(Value::Text(value.to_string())),
        (Value::F64(value), _) => Ok(Value::Text(float_text(value))),
    }
}

/// `{:?}` writes whole floats with a point, and exponents in another range than is wanted.
fn float_text(value: f64) -> String {
    let magnitude = value.abs();
    if value.is_finite() && magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        return format!("{value:e}");
    }
    let text = format!("{value}");
    if value.is_finite() && !text.contains('.') {
        format!("{text}.0")
    } else {
        text
    }
}

fn parse(text: &str, to: &DataType) -> Result<Value, Fault> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    match to {
        DataType::Bool => text.parse().map(Value::Bool).map_err(|_| Fault::Unreadable),
        DataType::F64 => {
            let word = ["nan", "inf", "infinity"].contains(&text.to_lowercase().as_str())
                || ["-inf", "-infinity"].contains(&text.to_lowercase().as_str());
            let starts_and_ends = digits.starts_with(|c: char| c.is_ascii_digit())
                && digits.ends_with(|c: char| c.is_ascii_digit())
                && digits.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
            match text.parse::<f64>() {
                Ok(value) if word => Ok(Value::F64(value)),
                Ok(value) if starts_and_ends && !digits.contains(".e") => {
                    if value.is_infinite() {
                        Err(Fault::OutOfRange)
                    } else {
                        Ok(Value::F64(value))
                    }
                }
                _ => Err(Fault::Unreadable),
            }
        }
        _ if !plain(digits) => Err(Fault::Unreadable),
        DataType::I8 => text.parse().map(Value::I8).map_err(|_| Fault::OutOfRange),
        _ => text.parse().map(Value::I64).map_err(|_| Fault::OutOfRange),
    }
}

fn call(function: Function, args: &[Expr], eval: &dyn Fn(&Expr) -> Answer) -> Answer {
    if function == Function::Coalesce {
        for arg in args {
            if let Some(value) = eval(arg)? {
                return Ok(Some(value));
            }
        }
        return Ok(None);
    }
    let values = args.iter().map(eval).collect::<Result<Vec<_>, _>>()?;
    match (function, values.as_slice()) {
        (Function::IsNull, [value]) => Ok(Some(Value::Bool(value.is_none()))),
        (Function::Nullif, [Some(a), Some(b)]) => Ok(order(a, b).is_ne().then(|| a.clone())),
        (Function::Nullif, [a, _]) => Ok(a.clone()),
        (Function::Concat, parts) => {
            let texts = parts.iter().flatten().map(|part| match part {
                Value::Text(text) => text.as_str(),
                _ => panic!("concat takes texts"),
            });
            Ok(Some(Value::Text(texts.collect())))
        }
        (Function::Length, [Some(Value::Text(text))]) => Ok(Some(Value::I64(text.chars().count() as i64))),
        (Function::Reverse, [Some(Value::Text(text))]) => Ok(Some(Value::Text(text.chars().rev().collect()))),
        (Function::Trim, [Some(Value::Text(text))]) => Ok(Some(Value::Text(text.trim_matches(' ').into()))),
        (Function::Left, [Some(Value::Text(text)), Some(Value::I64(count))]) => {
            let count = u64::try_from(*count).map_err(|_| Fault::NegativeCount)?;
            Ok(Some(Value::Text(text.chars().take(count as usize).collect())))
        }
        _ => Ok(None),
    }
}
