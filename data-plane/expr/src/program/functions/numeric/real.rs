//! Functions of real numbers (rulings section 5): NaN in gives NaN out before the domain is looked at; outside
//! the domain, at a pole and on overflow the record fails; an underflow is 0.

use arrow::datatypes::Float64Type;
use arrow::error::ArrowError;

use super::super::call::{Args, reals};
use crate::fault::Fault;
use crate::program::built::number_rows;
use crate::program::value::Outcome;

/// A function of one real number.
pub(super) fn one(args: &Args<'_>, function: impl Fn(f64) -> f64) -> Result<Outcome, ArrowError> {
    let value = args.real(0)?;
    let numbers = reals(&value)?;
    number_rows::<Float64Type>(args.context, args.name, |row| {
        numbers.get(row).map(|x| judge(&[x], function(x))).transpose()
    })
}

/// A function of two real numbers.
pub(super) fn two(args: &Args<'_>, function: impl Fn(f64, f64) -> f64) -> Result<Outcome, ArrowError> {
    let (left, right) = (args.real(0)?, args.real(1)?);
    let (lefts, rights) = (reals(&left)?, reals(&right)?);
    number_rows::<Float64Type>(args.context, args.name, |row| {
        let (Some(a), Some(b)) = (lefts.get(row), rights.get(row)) else {
            return Ok(None);
        };
        judge(&[a, b], function(a, b)).map(Some)
    })
}

fn judge(args: &[f64], result: f64) -> Result<f64, Fault> {
    if result.is_nan() && !args.iter().any(|arg| arg.is_nan()) {
        return Err(Fault::Domain);
    }
    if result.is_infinite() && args.iter().all(|arg| arg.is_finite()) {
        return Err(Fault::Overflow);
    }
    Ok(result)
}
