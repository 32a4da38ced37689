//! Comparison of constants: NaN equals NaN and is greater than every number, -0.0 equals 0.0.

use std::cmp::Ordering;

use nspl_model::{BinaryOp, Literal};

/// Both operands have one comparable type and are not null; `None` when they do not.
pub(crate) fn compare(op: BinaryOp, left: &Literal, right: &Literal) -> Option<bool> {
    let order = order(left, right)?;
    Some(match op {
        BinaryOp::Equal => order == Ordering::Equal,
        BinaryOp::NotEqual => order != Ordering::Equal,
        BinaryOp::Less => order == Ordering::Less,
        BinaryOp::LessOrEqual => order != Ordering::Greater,
        BinaryOp::Greater => order == Ordering::Greater,
        BinaryOp::GreaterOrEqual => order != Ordering::Less,
        _ => return None,
    })
}

fn order(left: &Literal, right: &Literal) -> Option<Ordering> {
    Some(match (left, right) {
        (Literal::Bool(a), Literal::Bool(b)) => a.cmp(b),
        (Literal::String(a), Literal::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Literal::DateTime(a), Literal::DateTime(b)) => a.cmp(b),
        (Literal::Bytes(a), Literal::Bytes(b)) => a.cmp(b),
        (Literal::F32(a), Literal::F32(b)) => float_order((*a).into(), (*b).into()),
        (Literal::F64(a), Literal::F64(b)) => float_order(*a, *b),
        _ => left.as_integer()?.cmp(&right.as_integer()?),
    })
}

fn float_order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}
