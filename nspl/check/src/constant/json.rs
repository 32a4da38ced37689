//! JSON_VALUE and JSON_EXISTS of a constant document.

use nspl_model::json::{JsonScalar, JsonValue, find, unescape, whole_number};
use nspl_model::{DataType, JsonPath, Literal};

use super::Failure;
use super::arithmetic::integer_literal;
use super::datetime::read_datetime;

/// The scalar that the path leads to; null where nothing is, and for a JSON null.
pub(super) fn value(document: &str, path: &JsonPath, target: &DataType) -> Result<Literal, Failure> {
    let scalar = match read(document, path)? {
        None | Some(JsonValue::Scalar(JsonScalar::Null)) => return Ok(Literal::Null),
        Some(JsonValue::Scalar(scalar)) => scalar,
        Some(JsonValue::Array | JsonValue::Object) => return Err(format!("the JSON value is no {target}")),
    };
    match (scalar, target) {
        (JsonScalar::Bool(value), DataType::Bool) => Ok(Literal::Bool(value)),
        (JsonScalar::Text(text), DataType::String) => Ok(Literal::String(unescape(text).into_owned())),
        (JsonScalar::Text(text), DataType::DateTime) => read_datetime(&unescape(text)).map(Literal::DateTime),
        (JsonScalar::Number(text), DataType::F32) => finite(text, f32::is_finite).map(Literal::F32),
        (JsonScalar::Number(text), DataType::F64) => finite(text, f64::is_finite).map(Literal::F64),
        (JsonScalar::Number(text), target) if target.is_integer() => match whole_number(text) {
            Some(value) => integer_literal(value, target),
            None => Err(format!("the number is no whole number in the range of {target}")),
        },
        _ => Err(format!("the JSON value is no {target}")),
    }
}

/// Whether the path leads anywhere; a JSON null is somewhere.
pub(super) fn exists(document: &str, path: &JsonPath) -> Result<bool, Failure> {
    read(document, path).map(|found| found.is_some())
}

fn read<'d>(document: &'d str, path: &JsonPath) -> Result<Option<JsonValue<'d>>, Failure> {
    find(document, &path.steps).map_err(|not_json| not_json.to_string())
}

fn finite<F: std::str::FromStr + Copy>(text: &str, is_finite: fn(F) -> bool) -> Result<F, Failure> {
    match text.parse::<F>() {
        Ok(value) if is_finite(value) => Ok(value),
        _ => Err("the number is out of range".into()),
    }
}

#[cfg(test)]
mod tests {
    use nspl_model::{DataType, JsonPath, Literal};

    use super::{exists, value};

    fn at_root(text: &str, of: DataType) -> Result<Literal, String> {
        value(text, &JsonPath::parse("$").unwrap(), &of)
    }

    #[test]
    fn whole_numbers_fit_integers_in_any_spelling() {
        for text in ["100", "100.0", "1e2", "1.00e+2", "0.1e3", "1000e-1", "100.000e0"] {
            assert!(at_root(text, DataType::U8) == Ok(Literal::U8(100)), "{text}");
        }
        for text in ["0", "-0", "0.0", "0e99999999999999999999", "-0.000e5"] {
            assert!(at_root(text, DataType::I64) == Ok(Literal::I64(0)), "{text}");
        }
        assert!(at_root("-9223372036854775808", DataType::I64) == Ok(Literal::I64(i64::MIN)));
        assert!(at_root("18446744073709551615.0", DataType::U64) == Ok(Literal::U64(u64::MAX)));
        for text in [
            "1.5",
            "256",
            "-1",
            "1e99999999999999999999",
            "1e20",
            "1e-1",
            "\"1\"",
        ] {
            assert!(at_root(text, DataType::U8).is_err(), "{text}");
        }
    }

    #[test]
    fn other_scalars_have_their_own_type_and_null_is_null() {
        assert!(at_root("true", DataType::Bool) == Ok(Literal::Bool(true)));
        assert!(at_root("0.1", DataType::F32) == Ok(Literal::F32(0.1)));
        assert!(at_root("1e-999", DataType::F64) == Ok(Literal::F64(0.0)));
        assert!(
            at_root("\"1970-01-01T00:00:01Z\"", DataType::DateTime) == Ok(Literal::DateTime(1_000_000_000))
        );
        assert!(at_root("null", DataType::Bool) == Ok(Literal::Null));
        for (text, of) in [
            ("1e39", DataType::F32),
            ("1", DataType::String),
            ("[]", DataType::String),
            ("\"x\"", DataType::DateTime),
        ] {
            assert!(at_root(text, of).is_err(), "{text}");
        }
    }

    #[test]
    fn a_json_null_is_somewhere_and_a_missing_path_is_null() {
        let path = JsonPath::parse("$.a").unwrap();
        assert!(exists(r#"{"a": null}"#, &path) == Ok(true));
        assert!(exists("{}", &path) == Ok(false));
        assert!(value("{}", &path, &DataType::U8) == Ok(Literal::Null));
        assert!(exists("{", &path).is_err());
    }
}
