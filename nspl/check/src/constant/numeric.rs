//! Functions of numbers: NaN in gives NaN out before the domain is looked at; outside the domain, at a pole and on
//! overflow they fail; an underflow is 0.

use nspl_model::{Function, Literal};

use super::{Failure, Folded};

/// The value of a call whose arguments are numbers.
pub(super) fn call(function: Function, args: &[&Literal]) -> Folded {
    match (function, args) {
        (Function::Abs, [number]) => absolute(number).map(Some),
        (Function::Ceil | Function::Ceiling, [number]) => Ok(Some(whole(number, f32::ceil, f64::ceil))),
        (Function::Floor, [number]) => Ok(Some(whole(number, f32::floor, f64::floor))),
        (Function::Round, [number]) => Ok(Some(whole(number, f32::round, f64::round))),
        (_, [x]) => real(x).and_then(|x| of_one(function, x)).transpose(),
        (_, [x, y]) => real(x)
            .zip(real(y))
            .and_then(|(x, y)| of_two(function, x, y))
            .transpose(),
        _ => Ok(None),
    }
}

fn absolute(number: &Literal) -> Result<Literal, Failure> {
    let overflow = || "the result is out of range".to_owned();
    Ok(match number {
        Literal::F32(value) => Literal::F32(value.abs()),
        Literal::F64(value) => Literal::F64(value.abs()),
        Literal::I8(value) => Literal::I8(value.checked_abs().ok_or_else(overflow)?),
        Literal::I16(value) => Literal::I16(value.checked_abs().ok_or_else(overflow)?),
        Literal::I32(value) => Literal::I32(value.checked_abs().ok_or_else(overflow)?),
        Literal::I64(value) => Literal::I64(value.checked_abs().ok_or_else(overflow)?),
        unsigned => unsigned.clone(),
    })
}

/// Floats become whole in their type; integers are.
fn whole(number: &Literal, narrow: fn(f32) -> f32, wide: fn(f64) -> f64) -> Literal {
    match number {
        Literal::F32(value) => Literal::F32(narrow(*value)),
        Literal::F64(value) => Literal::F64(wide(*value)),
        integer => integer.clone(),
    }
}

fn of_one(function: Function, x: f64) -> Option<Result<Literal, Failure>> {
    let result = match function {
        Function::Acos => x.acos(),
        Function::Asin => x.asin(),
        Function::Atan => x.atan(),
        Function::Cos => x.cos(),
        Function::Exp => x.exp(),
        Function::Ln => x.ln(),
        Function::Log => x.log10(),
        Function::Sqrt => x.sqrt(),
        Function::Tan => x.tan(),
        _ => return None,
    };
    Some(judged(&[x], result))
}

fn of_two(function: Function, x: f64, y: f64) -> Option<Result<Literal, Failure>> {
    let result = match function {
        Function::Log => logarithm(x, y),
        Function::Pow | Function::Power => x.powf(y),
        _ => return None,
    };
    Some(judged(&[x, y], result))
}

/// Base first. The bases that have functions of their own are exact at their powers.
fn logarithm(base: f64, x: f64) -> f64 {
    if base <= 0.0 || base == 1.0 {
        return f64::NAN;
    }
    match base {
        2.0 => x.log2(),
        10.0 => x.log10(),
        _ => x.ln() / base.ln(),
    }
}

fn judged(args: &[f64], result: f64) -> Result<Literal, Failure> {
    if result.is_nan() && !args.iter().any(|arg| arg.is_nan()) {
        return Err("the function has no value there".into());
    }
    if result.is_infinite() && args.iter().all(|arg| arg.is_finite()) {
        return Err("the result is out of range".into());
    }
    Ok(Literal::F64(result))
}

/// Each argument becomes F64 by itself, rounded.
fn real(literal: &Literal) -> Option<f64> {
    match literal {
        Literal::F32(value) => Some((*value).into()),
        Literal::F64(value) => Some(*value),
        other => other.as_integer().map(|value| value as f64),
    }
}
