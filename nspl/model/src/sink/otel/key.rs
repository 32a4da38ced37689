//! The keys of the closed VALUES sets, and what each of them takes.

use crate::{DataType, Literal};

/// The greatest severity number.
const SEVERITY_MAX: i128 = 24;

/// One key of a closed VALUES set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtelKey {
    /// Its name.
    pub name: &'static str,
    /// Whether it is written, and never null then.
    pub need: OtelNeed,
    /// What it takes.
    pub takes: OtelValue,
}

/// Whether a key is required.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtelNeed {
    /// Always.
    Required,
    /// Of the points of DELTA streams.
    OfDelta,
    /// Never; its values may be null.
    Optional,
}

/// What a key takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtelValue {
    /// DATETIME.
    DateTime,
    /// STRING.
    String,
    /// I32 in 0..=24.
    Severity,
    /// STRING of so many hex characters that are not all zero.
    Id(usize),
    /// STRING that is one of these, in exact case.
    OneOf(&'static [&'static str]),
    /// Any integer type, F32 or F64.
    Number,
    /// Any integer type, no value negative.
    Count,
    /// A one-dimensional list of any integer type, no element negative.
    Counts,
    /// A one-dimensional list of F32 or F64.
    Bounds,
}

impl OtelKey {
    /// Whether it is required.
    pub fn is_required(&self, delta: bool) -> bool {
        match self.need {
            OtelNeed::Required => true,
            OtelNeed::OfDelta => delta,
            OtelNeed::Optional => false,
        }
    }
}

impl OtelValue {
    /// The one type that it takes, where there is one.
    pub fn exact(self) -> Option<DataType> {
        match self {
            OtelValue::DateTime => Some(DataType::DateTime),
            OtelValue::String | OtelValue::Id(_) | OtelValue::OneOf(_) => Some(DataType::String),
            OtelValue::Severity => Some(DataType::I32),
            OtelValue::Number | OtelValue::Count | OtelValue::Counts | OtelValue::Bounds => None,
        }
    }

    /// The type that literals take where several would do.
    pub fn preferred(self) -> Option<DataType> {
        match self {
            OtelValue::Counts => Some(DataType::Vec(Box::new(DataType::I64))),
            OtelValue::Bounds => Some(DataType::Vec(Box::new(DataType::F64))),
            other => other.exact(),
        }
    }

    /// Whether it takes a type.
    pub fn takes(self, data_type: &DataType) -> bool {
        let element = |fits: fn(&DataType) -> bool| data_type.element().as_ref().is_some_and(fits);
        match self {
            OtelValue::Number => data_type.is_numeric(),
            OtelValue::Count => data_type.is_integer(),
            OtelValue::Counts => element(DataType::is_integer),
            OtelValue::Bounds => element(DataType::is_float),
            exact => exact.exact().as_ref() == Some(data_type),
        }
    }

    /// What it takes, in words.
    pub fn words(self) -> String {
        match self {
            OtelValue::DateTime => "DATETIME".into(),
            OtelValue::String => "STRING".into(),
            OtelValue::Severity => format!("I32 from 0 to {SEVERITY_MAX}"),
            OtelValue::Id(digits) => format!("a STRING of {digits} hex characters that are not all 0"),
            OtelValue::OneOf(names) => names.join(", "),
            OtelValue::Number => "an integer type, F32 or F64".into(),
            OtelValue::Count => "an integer type, never negative".into(),
            OtelValue::Counts => "an ARRAY or VEC of an integer type, never negative".into(),
            OtelValue::Bounds => "an ARRAY or VEC of F32 or F64".into(),
        }
    }

    /// Whether a value of a type that it takes is in its set; null is.
    pub fn admits(self, value: &Literal) -> bool {
        let natural = |value: &Literal| value.as_integer().is_none_or(|number| number >= 0);
        match (self, value) {
            (OtelValue::Severity, value) => value
                .as_integer()
                .is_none_or(|number| (0..=SEVERITY_MAX).contains(&number)),
            (OtelValue::Id(digits), Literal::String(id)) => {
                let hex = id.len() == digits && id.bytes().all(|byte| byte.is_ascii_hexdigit());
                hex && id.bytes().any(|byte| byte != b'0')
            }
            (OtelValue::OneOf(names), Literal::String(name)) => names.contains(&name.as_str()),
            (OtelValue::Count, value) => natural(value),
            (OtelValue::Counts, Literal::List(values)) => values.iter().all(natural),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OtelValue;
    use crate::{DataType, Literal};

    #[test]
    fn the_sets_are_closed() {
        let text = |text: &str| Literal::String(text.into());
        let span = OtelValue::Id(16);
        assert!(span.admits(&text("00f067aa0ba902b7")) && span.admits(&text("00F067AA0BA902B7")));
        for wrong in [
            "",
            "0000000000000000",
            "00f067aa0ba902b",
            "00f067aa0ba902bg",
            "00f067aa0ba902b70",
        ] {
            assert!(!span.admits(&text(wrong)), "{wrong}");
        }
        assert!(
            OtelValue::Severity.admits(&Literal::I32(24)) && OtelValue::Severity.admits(&Literal::I32(0))
        );
        assert!(
            !OtelValue::Severity.admits(&Literal::I32(25)) && !OtelValue::Severity.admits(&Literal::I32(-1))
        );
        let kind = OtelValue::OneOf(&["SERVER"]);
        assert!(kind.admits(&text("SERVER")) && !kind.admits(&text("server")) && kind.admits(&Literal::Null));
        assert!(!OtelValue::Counts.admits(&Literal::List(vec![Literal::I64(1), Literal::I64(-1)])));
    }

    #[test]
    fn lists_have_one_dimension() {
        let list = |of| DataType::Vec(Box::new(of));
        assert!(OtelValue::Counts.takes(&list(DataType::U64)) && !OtelValue::Counts.takes(&DataType::U64));
        assert!(OtelValue::Bounds.takes(&DataType::Array(Box::new(DataType::F32), vec![3])));
        assert!(!OtelValue::Bounds.takes(&DataType::Array(Box::new(DataType::F32), vec![3, 2])));
        assert!(!OtelValue::Counts.takes(&list(list(DataType::I64))));
    }
}
