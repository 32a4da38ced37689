//! The closed VALUES sets, and where their keys are in the output schema.

use super::key::{OtelKey, OtelNeed, OtelValue};

const fn required(name: &'static str, takes: OtelValue) -> OtelKey {
    OtelKey {
        name,
        need: OtelNeed::Required,
        takes,
    }
}

const fn optional(name: &'static str, takes: OtelValue) -> OtelKey {
    OtelKey {
        name,
        need: OtelNeed::Optional,
        takes,
    }
}

const TRACE_ID: OtelValue = OtelValue::Id(32);
const SPAN_ID: OtelValue = OtelValue::Id(16);
const KINDS: OtelValue = OtelValue::OneOf(&["SERVER", "CLIENT", "INTERNAL", "PRODUCER", "CONSUMER"]);
const STATUSES: OtelValue = OtelValue::OneOf(&["OK", "ERROR", "UNSET"]);
const POINT_TIME: OtelKey = required("time", OtelValue::DateTime);
const POINT_START: OtelKey = OtelKey {
    name: "start_time",
    need: OtelNeed::OfDelta,
    takes: OtelValue::DateTime,
};

/// Defines a closed set: a struct of indexes with the set's keys, required ones first.
macro_rules! closed_set {
    ($(#[$doc:meta])* $name:ident { $($need:ident: $need_key:expr,)* } { $($may:ident: $may_key:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "each is the index, in the output schema, of the key of its name")]
        pub struct $name {
            $(pub $need: usize,)*
            $(pub $may: Option<usize>,)*
        }

        impl $name {
            /// The set.
            pub const KEYS: &'static [OtelKey] = &[$($need_key,)* $($may_key,)*];

            /// From the index of each key that is written; `None` when one that is always required is not.
            pub fn of(index: impl Fn(&str) -> Option<usize>) -> Option<$name> {
                Some($name {
                    $($need: index(stringify!($need))?,)*
                    $($may: index(stringify!($may)),)*
                })
            }
        }
    };
}

closed_set!(
    /// VALUES of LOGS.
    LogFields {
        time: required("time", OtelValue::DateTime),
        body: required("body", OtelValue::String),
    } {
        severity_text: optional("severity_text", OtelValue::String),
        severity_number: optional("severity_number", OtelValue::Severity),
        trace_id: optional("trace_id", TRACE_ID),
        span_id: optional("span_id", SPAN_ID),
    }
);

closed_set!(
    /// VALUES of TRACES.
    SpanFields {
        trace_id: required("trace_id", TRACE_ID),
        span_id: required("span_id", SPAN_ID),
        name: required("name", OtelValue::String),
        start_time: required("start_time", OtelValue::DateTime),
        end_time: required("end_time", OtelValue::DateTime),
    } {
        parent_span_id: optional("parent_span_id", SPAN_ID),
        kind: optional("kind", KINDS),
        status_code: optional("status_code", STATUSES),
        status_message: optional("status_message", OtelValue::String),
    }
);

closed_set!(
    /// VALUES of the points of gauges and sums; those of DELTA sums have a start_time.
    PointFields {
        time: POINT_TIME,
        value: required("value", OtelValue::Number),
    } {
        start_time: POINT_START,
    }
);

closed_set!(
    /// VALUES of the points of histograms; those of DELTA ones have a start_time.
    HistogramFields {
        time: POINT_TIME,
        count: required("count", OtelValue::Count),
        bucket_counts: required("bucket_counts", OtelValue::Counts),
        explicit_bounds: required("explicit_bounds", OtelValue::Bounds),
    } {
        start_time: POINT_START,
        sum: optional("sum", OtelValue::Number),
        min: optional("min", OtelValue::Number),
        max: optional("max", OtelValue::Number),
    }
);

#[cfg(test)]
mod tests {
    use super::{HistogramFields, LogFields, OtelKey, PointFields, SpanFields};

    #[test]
    fn a_set_is_found_under_the_names_of_its_keys() {
        let position =
            |keys: &'static [OtelKey]| move |name: &str| keys.iter().position(|key| key.name == name);
        let found = SpanFields::of(position(SpanFields::KEYS)).unwrap();
        assert_eq!(
            (found.trace_id, found.end_time, found.status_message),
            (0, 4, Some(8))
        );
        let found = HistogramFields::of(position(HistogramFields::KEYS)).unwrap();
        assert_eq!(
            (found.explicit_bounds, found.start_time, found.max),
            (3, Some(4), Some(7))
        );
        assert!(LogFields::of(position(LogFields::KEYS)).is_some_and(|found| found.span_id == Some(5)));
        let without_time = |name: &str| (name != "time").then_some(0);
        assert_eq!(PointFields::of(without_time), None);
    }
}
