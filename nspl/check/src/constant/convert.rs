//! The conversions of `AS` and TRY_CAST: which exist, and what they make of a constant (rulings section 5).

use nspl_model::{DataType, FloatText, Literal};

use super::Failure;
use super::arithmetic::integer_literal;
use super::datetime::{datetime_text, read_datetime};
use super::number_text::{read_float, read_integer};

/// Whether a conversion exists at all.
pub(crate) fn converts(from: &DataType, to: &DataType) -> bool {
    if from.is_list() || to.is_list() {
        return false;
    }
    let text = |other: &DataType| {
        other.is_numeric() || matches!(other, DataType::Bool | DataType::DateTime | DataType::Bytes)
    };
    from == to
        || (from.is_numeric() && to.is_numeric())
        || (*to == DataType::String && text(from))
        || (*from == DataType::String && text(to))
}

/// Converts a constant that is not null.
pub(crate) fn convert(value: &Literal, to: &DataType) -> Result<Literal, Failure> {
    match (value, to) {
        (Literal::String(text), to) => from_text(text, to),
        (Literal::Bytes(bytes), DataType::String) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Literal::String(text.to_owned())),
            Err(_) => Err("the bytes are no UTF-8".into()),
        },
        (value, DataType::String) => text_of(value).map(Literal::String),
        (Literal::F32(value), DataType::F64) => Ok(Literal::F64((*value).into())),
        (Literal::F64(value), DataType::F32) => narrow(*value),
        (Literal::F32(value), to) if to.is_integer() => whole((*value).into(), to),
        (Literal::F64(value), to) if to.is_integer() => whole(*value, to),
        (value, to) => match value.as_integer() {
            Some(integer) if to.is_integer() => integer_literal(integer, to),
            Some(integer) if to.is_float() => exact_float(integer, to),
            _ => Ok(value.clone()),
        },
    }
}

fn from_text(text: &str, to: &DataType) -> Result<Literal, Failure> {
    Ok(match to {
        DataType::Bool => match text {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            _ => return Err("the text is neither true nor false".into()),
        },
        DataType::DateTime => Literal::DateTime(read_datetime(text)?),
        DataType::Bytes => Literal::Bytes(text.as_bytes().to_vec()),
        DataType::F64 => Literal::F64(read_float(text)?),
        DataType::F32 => {
            // Read by the narrow type's own rounding: by way of F64 it would round twice.
            read_float(text)?;
            match text.parse::<f32>() {
                Ok(value) if value.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit()) => {
                    return Err("the text is out of range".into());
                }
                Ok(value) => Literal::F32(value),
                Err(_) => return Err("the text is no number".into()),
            }
        }
        to if to.is_integer() => integer_literal(read_integer(text)?, to)?,
        _ => Literal::String(text.to_owned()),
    })
}

fn text_of(value: &Literal) -> Result<String, Failure> {
    Ok(match value {
        Literal::Bool(value) => value.to_string(),
        Literal::F32(value) => FloatText::default().write(*value).to_owned(),
        Literal::F64(value) => FloatText::default().write(*value).to_owned(),
        Literal::DateTime(value) => datetime_text(*value),
        _ => match value.as_integer() {
            Some(integer) => integer.to_string(),
            None => return Err("the value has no text".into()),
        },
    })
}

fn narrow(value: f64) -> Result<Literal, Failure> {
    let narrowed = value as f32;
    if narrowed.is_infinite() && value.is_finite() {
        return Err("the value is out of the range of F32".into());
    }
    Ok(Literal::F32(narrowed))
}

fn whole(value: f64, to: &DataType) -> Result<Literal, Failure> {
    // Every integer type ends well below 1e30, so the conversion to 128 bits is exact where it matters.
    if !value.is_finite() || value.fract() != 0.0 || value.abs() > 1e30 {
        return Err(format!("the value is no whole number in the range of {to}"));
    }
    integer_literal(value as i128, to)
}

/// An integer as a float, when the float holds it exactly.
pub(crate) fn exact_float(value: i128, to: &DataType) -> Result<Literal, Failure> {
    let inexact = || format!("{to} does not hold the value exactly");
    if *to == DataType::F32 {
        let float = value as f32;
        return if float as i128 == value {
            Ok(Literal::F32(float))
        } else {
            Err(inexact())
        };
    }
    let float = value as f64;
    if float as i128 == value {
        Ok(Literal::F64(float))
    } else {
        Err(inexact())
    }
}

#[cfg(test)]
mod tests {
    use super::{convert, converts};
    use nspl_model::{DataType, Literal};

    #[test]
    fn conversions_are_exact_or_fail() {
        let ok = |value: Literal, to: DataType| convert(&value, &to).unwrap();
        assert_eq!(ok(Literal::I64(-1), DataType::F32), Literal::F32(-1.0));
        assert_eq!(ok(Literal::F64(3.0), DataType::U8), Literal::U8(3));
        assert_eq!(
            ok(Literal::String("0.1".into()), DataType::F32),
            Literal::F32(0.1)
        );
        assert_eq!(
            ok(Literal::String("-inf".into()), DataType::F32),
            Literal::F32(f32::NEG_INFINITY)
        );
        assert_eq!(
            ok(Literal::Bool(true), DataType::String),
            Literal::String("true".into())
        );
        for (value, to) in [
            (Literal::I64(300), DataType::I8),
            (Literal::I64((1 << 53) + 1), DataType::F64),
            (Literal::F64(1.5), DataType::I64),
            (Literal::F64(f64::NAN), DataType::I64),
            (Literal::F64(1e300), DataType::F32),
            (Literal::String("TRUE".into()), DataType::Bool),
            (Literal::String("1e39".into()), DataType::F32),
        ] {
            assert!(convert(&value, &to).is_err(), "{to}");
        }
    }

    #[test]
    fn the_table_of_conversions_has_no_other_entries() {
        assert!(converts(&DataType::Bytes, &DataType::String) && converts(&DataType::Bool, &DataType::Bool));
        assert!(!converts(&DataType::Bool, &DataType::U8) && !converts(&DataType::DateTime, &DataType::I64));
        let list = DataType::Vec(Box::new(DataType::U8));
        assert!(!converts(&list, &list) && !converts(&DataType::Bytes, &DataType::I64));
    }
}
