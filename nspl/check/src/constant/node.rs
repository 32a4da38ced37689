//! What each kind of node makes of the constants below it: nulls, failures that count, and those that do not.
//!
//! A failing operand counts before a null beside it, except where AND, OR, CASE or coalesce excuse it.

use nspl_model::{BinaryOp, CastError, DataType, Function, JsonPath, Literal};

use super::compare::compare;
use super::convert::convert;
use super::{Failure, Folded, arithmetic, function, json};

/// Unary minus.
pub(crate) fn negate(of: &DataType, operand: Folded) -> Folded {
    of_value(operand, |value| arithmetic::negate(of, &value))
}

/// Three-valued NOT.
pub(crate) fn not(operand: Folded) -> Folded {
    of_value(operand, |value| match value {
        Literal::Bool(value) => Ok(Literal::Bool(!value)),
        _ => Err("the operand is no truth value".into()),
    })
}

/// An operator between two values of one type.
pub(crate) fn binary(op: BinaryOp, of: &DataType, left: Folded, right: Folded) -> Folded {
    if op.is_logic() {
        return logic(op, left, right);
    }
    let Some(operands) = known([left, right])? else {
        return Ok(None);
    };
    match operands.as_slice() {
        [a, b] if a.is_null() || b.is_null() => Ok(Some(Literal::Null)),
        [a, b] if op.is_arithmetic() => arithmetic::arithmetic(op, of, a, b).map(Some),
        [a, b] => Ok(compare(op, a, b).map(Literal::Bool)),
        _ => Ok(None),
    }
}

/// AND and OR: what decides alone excuses the other side.
fn logic(op: BinaryOp, left: Folded, right: Folded) -> Folded {
    let decisive = Literal::Bool(op == BinaryOp::Or);
    match (left, right) {
        (Ok(Some(value)), _) | (_, Ok(Some(value))) if value == decisive => Ok(Some(decisive)),
        (Ok(None), _) | (_, Ok(None)) => Ok(None),
        (Err(failure), _) | (_, Err(failure)) => Err(failure),
        (Ok(Some(left)), Ok(Some(right))) if left.is_null() || right.is_null() => Ok(Some(Literal::Null)),
        _ => Ok(Some(Literal::Bool(op == BinaryOp::And))),
    }
}

/// `AS` and TRY_CAST.
pub(crate) fn cast(to: &DataType, on_error: CastError, operand: Folded) -> Folded {
    of_value(operand, |value| or_null(on_error, convert(&value, to)))
}

/// Both forms of CASE, and IF: the first match decides, and what stands behind it does not count.
pub(crate) fn case(
    operand: Option<Folded>,
    arms: impl IntoIterator<Item = (Folded, Folded)>,
    otherwise: Option<Folded>,
) -> Folded {
    let operand = match operand.transpose()? {
        Some(None) => return Ok(None),
        Some(operand) => operand,
        None => None,
    };
    for (when, then) in arms {
        let Some(when) = when? else { return Ok(None) };
        let hit = match &operand {
            None => when == Literal::Bool(true),
            Some(operand) => same(operand, &when),
        };
        if hit {
            return then;
        }
    }
    otherwise.unwrap_or(Ok(Some(Literal::Null)))
}

/// A function.
pub(crate) fn call(function: Function, args: Vec<Folded>) -> Folded {
    if function == Function::Coalesce {
        return coalesce(args);
    }
    let Some(values) = known(args)? else {
        return Ok(None);
    };
    match (function, values.as_slice()) {
        (function, _) if function.is_volatile() => Ok(None),
        (Function::IsNull, [value]) => Ok(Some(Literal::Bool(value.is_null()))),
        (Function::LeakSensitive, [value]) => Ok(Some(value.clone())),
        (Function::Nullif, [a, b]) => Ok(Some(match same(a, b) {
            true => Literal::Null,
            false => a.clone(),
        })),
        (Function::Concat, values) => {
            let present: Vec<&Literal> = values.iter().filter(|value| !value.is_null()).collect();
            function::call(function, &present)
        }
        (_, values) if values.iter().any(Literal::is_null) => Ok(Some(Literal::Null)),
        (_, values) => function::call(function, &values.iter().collect::<Vec<_>>()),
    }
}

/// `JSON_VALUE` and `TRY_JSON_VALUE`, by path and target.
pub(crate) fn json_value(
    (path, target): (&JsonPath, &DataType),
    on_error: CastError,
    document: Folded,
) -> Folded {
    of_value(document, |document| {
        or_null(on_error, json::value(text(&document)?, path, target))
    })
}

/// `JSON_EXISTS`.
pub(crate) fn json_exists(path: &JsonPath, document: Folded) -> Folded {
    of_value(document, |document| {
        json::exists(text(&document)?, path).map(Literal::Bool)
    })
}

fn coalesce(args: Vec<Folded>) -> Folded {
    for arg in args {
        match arg? {
            Some(Literal::Null) => {}
            other => return Ok(other),
        }
    }
    Ok(Some(Literal::Null))
}

/// Equal and not null, as nullif and a simple CASE see it.
fn same(a: &Literal, b: &Literal) -> bool {
    !a.is_null() && !b.is_null() && compare(BinaryOp::Equal, a, b) == Some(true)
}

fn text(document: &Literal) -> Result<&str, Failure> {
    document.as_str().ok_or_else(|| "the operand is no text".into())
}

fn or_null(on_error: CastError, result: Result<Literal, Failure>) -> Result<Literal, Failure> {
    match on_error {
        CastError::Fail => result,
        CastError::Null => Ok(result.unwrap_or(Literal::Null)),
    }
}

/// A null stays null.
fn of_value(operand: Folded, operation: impl FnOnce(Literal) -> Result<Literal, Failure>) -> Folded {
    match operand? {
        Some(Literal::Null) => Ok(Some(Literal::Null)),
        Some(value) => operation(value).map(Some),
        None => Ok(None),
    }
}

/// The values of all operands; one that fails counts whatever the others are.
fn known(operands: impl IntoIterator<Item = Folded>) -> Result<Option<Vec<Literal>>, Failure> {
    let mut values = Vec::new();
    let mut all = true;
    for operand in operands {
        match operand? {
            Some(value) => values.push(value),
            None => all = false,
        }
    }
    Ok(all.then_some(values))
}
