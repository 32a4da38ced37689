//! Arithmetic of constants: integers stay in their type, floats follow IEEE 754, division by zero is a failure.

use nspl_model::{BinaryOp, DataType, Literal};

use super::Failure;

/// Both operands have this one type and are not null.
pub(crate) fn arithmetic(
    op: BinaryOp,
    of: &DataType,
    left: &Literal,
    right: &Literal,
) -> Result<Literal, Failure> {
    match (left, right) {
        (Literal::F32(a), Literal::F32(b)) => {
            defined(op, *b == 0.0).map(|()| Literal::F32(f32_operation(op, *a, *b)))
        }
        (Literal::F64(a), Literal::F64(b)) => {
            defined(op, *b == 0.0).map(|()| Literal::F64(f64_operation(op, *a, *b)))
        }
        _ => match (left.as_integer(), right.as_integer()) {
            (Some(a), Some(b)) => integer(op, a, b).and_then(|value| integer_literal(value, of)),
            _ => Err("the operands are no numbers".into()),
        },
    }
}

/// Unary minus of a constant that is not null.
pub(crate) fn negate(of: &DataType, operand: &Literal) -> Result<Literal, Failure> {
    match operand {
        Literal::F32(value) => Ok(Literal::F32(-value)),
        Literal::F64(value) => Ok(Literal::F64(-value)),
        _ => match operand.as_integer() {
            Some(value) => integer_literal(-value, of),
            None => Err("the operand is no number".into()),
        },
    }
}

/// A value of an integer type, when it fits.
pub(crate) fn integer_literal(value: i128, of: &DataType) -> Result<Literal, Failure> {
    let overflow = |_| format!("the result is out of the range of {of}");
    Ok(match of {
        DataType::U8 => Literal::U8(value.try_into().map_err(overflow)?),
        DataType::I8 => Literal::I8(value.try_into().map_err(overflow)?),
        DataType::U16 => Literal::U16(value.try_into().map_err(overflow)?),
        DataType::I16 => Literal::I16(value.try_into().map_err(overflow)?),
        DataType::U32 => Literal::U32(value.try_into().map_err(overflow)?),
        DataType::I32 => Literal::I32(value.try_into().map_err(overflow)?),
        DataType::U64 => Literal::U64(value.try_into().map_err(overflow)?),
        DataType::I64 => Literal::I64(value.try_into().map_err(overflow)?),
        _ => return Err(format!("{of} is no integer type")),
    })
}

fn integer(op: BinaryOp, a: i128, b: i128) -> Result<i128, Failure> {
    defined(op, b == 0)?;
    // Products of two 64-bit values fit 128 bits.
    Ok(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a.saturating_mul(b),
        BinaryOp::Divide => a / b,
        _ => a % b,
    })
}

fn defined(op: BinaryOp, divisor_is_zero: bool) -> Result<(), Failure> {
    let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
    if divides && divisor_is_zero {
        Err("division by zero".into())
    } else {
        Ok(())
    }
}

fn f32_operation(op: BinaryOp, a: f32, b: f32) -> f32 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        _ => a % b,
    }
}

fn f64_operation(op: BinaryOp, a: f64, b: f64) -> f64 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        _ => a % b,
    }
}
