//! Numbers and NULL: literals that take the type their place wants (rulings section 5 "Types of literals").

use nspl_model::{DataType, Literal};
use nspl_syntax::Span;
use nspl_syntax::expression::Number;

use super::{Typed, Typer, Want, constant};
use crate::constant::arithmetic::integer_literal;
use crate::constant::convert::exact_float;
use crate::rules;

/// The types that are proposed for a number that its place does not take, the least of them first.
const SIGNED_FIRST: [DataType; 6] = [
    DataType::I8,
    DataType::I16,
    DataType::I32,
    DataType::I64,
    DataType::U64,
    DataType::F64,
];
const UNSIGNED_FIRST: [DataType; 9] = [
    DataType::U8,
    DataType::U16,
    DataType::U32,
    DataType::U64,
    DataType::I8,
    DataType::I16,
    DataType::I32,
    DataType::I64,
    DataType::F64,
];

impl Typer<'_> {
    pub(super) fn null(&mut self, span: Span, want: Want<'_>) -> Option<Typed> {
        match want {
            Want::Type(data_type) => Some(constant(span, data_type.clone(), Literal::Null)),
            Want::Hidden => None,
            Want::Nothing => {
                self.faults.push(rules::untyped_null::fault(span));
                None
            }
        }
    }

    pub(super) fn number(&mut self, number: &Number, span: Span, want: Want<'_>) -> Option<Typed> {
        let natural = if number.is_decimal() {
            DataType::F64
        } else {
            DataType::I64
        };
        let target = match want {
            Want::Type(data_type) if data_type.is_numeric() => data_type,
            // Whoever wants something else says so, about the literal's own type.
            _ => &natural,
        };
        match number_literal(number, target) {
            Ok(literal) => Some(constant(span, target.clone(), literal)),
            Err(why) => {
                let proposed = match target.is_unsigned() {
                    true => UNSIGNED_FIRST.as_slice(),
                    false => &SIGNED_FIRST,
                };
                let fits = proposed
                    .iter()
                    .find(|other| number_literal(number, other).is_ok());
                self.faults.push(rules::literal_fits::fault(
                    span,
                    &number.text,
                    target,
                    (&why, fits),
                ));
                None
            }
        }
    }

    /// A number directly before AS: an integer has the type named if it fits, else I64, or U64 past it.
    pub(super) fn number_before_as(
        &mut self,
        number: &Number,
        span: Span,
        target: &DataType,
    ) -> Option<Typed> {
        let own = |data_type: &DataType| {
            number_literal(number, data_type)
                .ok()
                .map(|value| (data_type.clone(), value))
        };
        let candidates = match number.is_decimal() {
            true => vec![&DataType::F64],
            false if target.is_integer() => vec![target, &DataType::I64, &DataType::U64],
            false => vec![&DataType::I64, &DataType::U64],
        };
        match candidates.into_iter().find_map(own) {
            Some((data_type, literal)) => Some(constant(span, data_type, literal)),
            None => self.number(number, span, Want::Nothing),
        }
    }
}

fn number_literal(number: &Number, of: &DataType) -> Result<Literal, String> {
    if number.is_decimal() {
        if of.is_integer() {
            return Err("a decimal never fits an integer type".into());
        }
        return decimal(&number.text, of);
    }
    let value: i128 = number.text.parse().map_err(|_| range(of))?;
    if of.is_float() {
        exact_float(value, of)
    } else {
        integer_literal(value, of).map_err(|_| range(of))
    }
}

fn decimal(text: &str, of: &DataType) -> Result<Literal, String> {
    let out = || format!("it is out of the range of {of}");
    match of {
        DataType::F32 => match text.parse::<f32>() {
            Ok(value) if value.is_finite() => Ok(Literal::F32(value)),
            _ => Err(out()),
        },
        _ => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Literal::F64(value)),
            _ => Err(out()),
        },
    }
}

fn range(of: &DataType) -> String {
    match of.integer_range() {
        Some((least, greatest)) => format!("{of} takes {least} to {greatest}"),
        None => format!("it is out of the range of {of}"),
    }
}
