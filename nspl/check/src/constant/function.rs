//! Functions of constants: those whose arguments can be wrong, and those that feed them.

use nspl_model::{Function, Literal};

use super::Failure;

/// A repeat or pad result above this many bytes is a failure (rulings section 5).
const TEXT_BYTES_MAX: i64 = 1 << 20;

/// The value of a call whose arguments are constants, none of them null. `Ok(None)`: not worked out at validation.
pub(crate) fn call(function: Function, args: &[&Literal]) -> Result<Option<Literal>, Failure> {
    let text = |index: usize| args.get(index).and_then(|arg| arg.as_str());
    let count = |index: usize| {
        args.get(index)
            .and_then(|arg| arg.as_integer())
            .and_then(|n| i64::try_from(n).ok())
    };
    match function {
        Function::Repeat => repeat(text(0), count(1)).map(Some),
        Function::Left | Function::Right => non_negative(count(1)).map(|()| None),
        Function::Substr | Function::Substring => non_negative(count(2).or(Some(0))).map(|()| None),
        Function::Lpad | Function::Rpad => pad(count(1)).map(|()| None),
        Function::SplitPart => match count(2) {
            Some(0) => Err("the position is 0; positions count from 1".into()),
            _ => Ok(None),
        },
        Function::Lower => Ok(text(0).map(|text| Literal::String(text.to_lowercase()))),
        Function::Upper => Ok(text(0).map(|text| Literal::String(text.to_uppercase()))),
        Function::Reverse => Ok(text(0).map(|text| Literal::String(text.chars().rev().collect()))),
        Function::Length | Function::CharLength => {
            Ok(text(0).map(|text| Literal::I64(i64::try_from(text.chars().count()).unwrap_or(i64::MAX))))
        }
        Function::Concat => Ok(args
            .iter()
            .map(|arg| arg.as_str())
            .collect::<Option<String>>()
            .map(Literal::String)),
        Function::Abs => absolute(args).map(Some),
        Function::Ceil | Function::Ceiling => Ok(rounded(args, f64::ceil, f32::ceil)),
        Function::Floor => Ok(rounded(args, f64::floor, f32::floor)),
        Function::Round => Ok(rounded(args, f64::round, f32::round)),
        _ => numeric(function, args),
    }
}

fn non_negative(count: Option<i64>) -> Result<(), Failure> {
    match count {
        Some(count) if count < 0 => Err("the count is negative".into()),
        _ => Ok(()),
    }
}

fn pad(count: Option<i64>) -> Result<(), Failure> {
    non_negative(count)?;
    match count {
        Some(count) if count > TEXT_BYTES_MAX => Err("the result is longer than 1 MiB".into()),
        _ => Ok(()),
    }
}

fn repeat(text: Option<&str>, count: Option<i64>) -> Result<Literal, Failure> {
    non_negative(count)?;
    let (text, count) = (text.unwrap_or_default(), count.unwrap_or_default());
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    if length.saturating_mul(count) > TEXT_BYTES_MAX {
        return Err("the result is longer than 1 MiB".into());
    }
    // An empty text may be repeated any number of times.
    let count = if text.is_empty() {
        0
    } else {
        usize::try_from(count).unwrap_or_default()
    };
    Ok(Literal::String(text.repeat(count)))
}

fn absolute(args: &[&Literal]) -> Result<Literal, Failure> {
    let overflow = || "the result is out of range".to_owned();
    Ok(match args.first() {
        Some(Literal::F32(value)) => Literal::F32(value.abs()),
        Some(Literal::F64(value)) => Literal::F64(value.abs()),
        Some(Literal::I8(value)) => Literal::I8(value.checked_abs().ok_or_else(overflow)?),
        Some(Literal::I16(value)) => Literal::I16(value.checked_abs().ok_or_else(overflow)?),
        Some(Literal::I32(value)) => Literal::I32(value.checked_abs().ok_or_else(overflow)?),
        Some(Literal::I64(value)) => Literal::I64(value.checked_abs().ok_or_else(overflow)?),
        Some(other) => (*other).clone(),
        None => Literal::Null,
    })
}

fn rounded(args: &[&Literal], wide: fn(f64) -> f64, narrow: fn(f32) -> f32) -> Option<Literal> {
    args.first().map(|arg| match arg {
        Literal::F32(value) => Literal::F32(narrow(*value)),
        Literal::F64(value) => Literal::F64(wide(*value)),
        other => (*other).clone(),
    })
}

fn numeric(function: Function, args: &[&Literal]) -> Result<Option<Literal>, Failure> {
    let value = |index: usize| args.get(index).copied().and_then(as_f64);
    let Some(x) = value(0) else { return Ok(None) };
    let domain = || Err("the argument is outside the function's domain".to_owned());
    let result = match function {
        Function::Acos if x.abs() > 1.0 => return domain(),
        Function::Asin if x.abs() > 1.0 => return domain(),
        Function::Sqrt if x < 0.0 => return domain(),
        Function::Ln if x <= 0.0 => return domain(),
        Function::Log => return logarithm(x, value(1)).map(|value| Some(Literal::F64(value))),
        Function::Pow | Function::Power => {
            let Some(y) = value(1) else { return Ok(None) };
            return power(x, y).map(|value| Some(Literal::F64(value)));
        }
        Function::Cos | Function::Tan if x.is_infinite() => return domain(),
        Function::Acos => x.acos(),
        Function::Asin => x.asin(),
        Function::Atan => x.atan(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Exp => x.exp(),
        Function::Ln => x.ln(),
        Function::Sqrt => x.sqrt(),
        _ => return Ok(None),
    };
    if result.is_infinite() && x.is_finite() {
        return Err("the result is out of range".into());
    }
    Ok(Some(Literal::F64(result)))
}

fn logarithm(first: f64, second: Option<f64>) -> Result<f64, Failure> {
    let outside = |x: f64| x <= 0.0;
    let (base, x) = second.map_or((10.0, first), |x| (first, x));
    if base.is_nan() || x.is_nan() {
        return Ok(f64::NAN);
    }
    if outside(base) || outside(x) || base == 1.0 {
        return Err("the argument is outside the function's domain".into());
    }
    Ok(if second.is_some() {
        x.ln() / base.ln()
    } else {
        x.log10()
    })
}

fn power(x: f64, y: f64) -> Result<f64, Failure> {
    if x == 1.0 || y == 0.0 {
        return Ok(1.0);
    }
    if x.is_nan() || y.is_nan() {
        return Ok(f64::NAN);
    }
    if x == 0.0 && y < 0.0 || x < 0.0 && x.is_finite() && y.is_finite() && y.fract() != 0.0 {
        return Err("the arguments are outside the function's domain".into());
    }
    let result = x.powf(y);
    if result.is_infinite() && x.is_finite() && y.is_finite() {
        return Err("the result is out of range".into());
    }
    Ok(result)
}

fn as_f64(literal: &Literal) -> Option<f64> {
    match literal {
        Literal::F32(value) => Some((*value).into()),
        Literal::F64(value) => Some(*value),
        other => other.as_integer().map(|value| value as f64),
    }
}
