//! OTEL emitters: closed sets, attributes, resources.

use super::direct::{definition, refused, unbatched, world};
use super::{accepted, check};
use crate::Catalog;
use nspl_model::{DataType, Literal, OtelPoints, OtelSignal, SinkDef, Temporality};

/// A relay of what telemetry is made of, beside the world of direct emitters.
fn telemetry() -> Catalog {
    let text = "BEGIN;
        CREATE SCHEMA telemetry (at DATETIME, ended DATETIME, begun DATETIME OPTIONAL, text STRING, maybe STRING OPTIONAL,
          level I32, count U32, small I8, total F32 OPTIONAL, ratio F64, counts VEC<I64>, bounds ARRAY<F32, 3>,
          buckets ARRAY<U64, 3>, grid VEC<VEC<F64>>, raw BYTES, raws VEC<BYTES>, flags VEC<BOOL>, secret STRING SENSITIVE);
        CREATE RELAY points SCHEMA telemetry UNBRANCHED; COMMIT;";
    accepted(text, &world())
}

fn otel(sink: &str) -> String {
    unbatched(&format!("OTEL otel {sink}")).replace("FROM events", "FROM points")
}

fn judged(sink: &str, expected: &[&str]) {
    let checked = check(&otel(sink), &telemetry());
    assert_eq!(
        super::codes(&checked),
        expected,
        "{sink}\n{:#?}",
        checked.diagnostics
    );
}

const LOG: &str = "'time' = at, 'body' = text";
const SPAN: &str =
    "'trace_id' = text, 'span_id' = text, 'name' = text, 'start_time' = at, 'end_time' = ended";
const HISTOGRAM: &str = "'time' = at, 'count' = count, 'bucket_counts' = counts, 'explicit_bounds' = bounds";

#[test]
fn the_keys_of_a_log_record_are_closed_and_exact() {
    for (more, expected) in [
        ("", &[][..]),
        (
            ", 'severity_text' = maybe, 'severity_number' = level, 'trace_id' = maybe, 'span_id' = maybe",
            &[],
        ),
        (
            ", 'severity_number' = 0, 'trace_id' = '4bf92f3577b34da6a3ce929d0e0e4736', 'span_id' = '00f067aa0ba902b7'",
            &[],
        ),
        (", 'severity_text' = NULL", &[]),
        (", 'severity_number' = small", &["E1304"]),
        (", 'severity_number' = 25", &["E1268"]),
        (", 'severity_number' = -1", &["E1268"]),
        (", 'trace_id' = '00000000000000000000000000000000'", &["E1268"]),
        (", 'trace_id' = '00f067aa0ba902b7'", &["E1268"]),
        (", 'span_id' = 'z0f067aa0ba902b7'", &["E1268"]),
        (", 'severity_text' = level", &["E1304"]),
        (", 'severty_text' = text", &["E1265"]),
        (", 'severity_text' = secret", &["E1315"]),
        (", 'severity_text' = text, 'severity_text' = text", &["E1216"]),
    ] {
        judged(&format!("LOGS VALUES {{{LOG}{more}}}"), expected);
    }
    judged(
        "LOGS VALUES {'time' = begun, 'body' = maybe}",
        &["E1314", "E1314"],
    );
    judged("LOGS VALUES {'time' = text, 'body' = at}", &["E1304", "E1304"]);
    judged("LOGS VALUES {}", &["E1266"]);
    judged("LOGS", &["E1261"]);
    let checked = check(&otel("LOGS VALUES {'time' = at, 'bdy' = text}"), &telemetry());
    let found: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|found| (found.code, found.help.as_deref()))
        .collect();
    assert_eq!(found, [("E1265", Some("there is 'body'"))]);
}

#[test]
fn the_keys_of_a_span_are_closed_and_exact() {
    for (more, expected) in [
        ("", &[][..]),
        (
            ", 'parent_span_id' = maybe, 'kind' = maybe, 'status_code' = maybe, 'status_message' = maybe",
            &[],
        ),
        (", 'kind' = 'SERVER', 'status_code' = 'UNSET'", &[]),
        (", 'kind' = 'server'", &["E1268"]),
        (", 'status_code' = 'FAILED'", &["E1268"]),
        (", 'parent_span_id' = '0000000000000000'", &["E1268"]),
        (", 'body' = text", &["E1265"]),
    ] {
        judged(
            &format!("TRACES VALUES {{{SPAN}{more}}} WHERE count > 0"),
            expected,
        );
    }
    judged(
        &format!(
            "TRACES VALUES {{{}}}",
            SPAN.replace("'end_time' = ended", "'kind' = 'CLIENT'")
        ),
        &["E1266"],
    );
}

#[test]
fn the_points_of_a_metric_have_the_keys_of_its_shape() {
    let start = "'start_time' = at";
    for (shape, values, expected) in [
        ("GAUGE", "'time' = at, 'value' = small", &[][..]),
        ("GAUGE", "'time' = at, 'value' = 1", &[]),
        ("GAUGE", "'time' = at, 'value' = ratio, 'start_time' = begun", &[]),
        ("GAUGE", "'time' = at, 'value' = text", &["E1267"]),
        ("GAUGE", "'time' = at, 'value' = total", &["E1314"]),
        (
            "GAUGE",
            "'time' = at, 'value' = count, 'count' = count",
            &["E1265"],
        ),
        ("SUM CUMULATIVE", "'time' = at, 'value' = count", &[]),
        (
            "SUM MONOTONIC CUMULATIVE",
            "'time' = at, 'value' = count, 'start_time' = begun",
            &[],
        ),
        ("SUM DELTA", "'time' = at, 'value' = count", &["E1266"]),
        (
            "SUM MONOTONIC DELTA",
            "'time' = at, 'value' = count, 'start_time' = begun",
            &["E1314"],
        ),
        ("HISTOGRAM CUMULATIVE", HISTOGRAM, &[]),
        ("HISTOGRAM DELTA", HISTOGRAM, &["E1266"]),
        (
            "HISTOGRAM CUMULATIVE",
            "'time' = at, 'value' = count",
            &["E1266", "E1265"],
        ),
    ] {
        judged(
            &format!("METRIC 'm' UNIT '1' {shape} VALUES {{{values}}}"),
            expected,
        );
    }
    judged(
        &format!("METRIC 'm' UNIT 'By' SUM DELTA VALUES {{'time' = at, 'value' = count, {start}}}"),
        &[],
    );
    judged(
        &format!("METRIC 'm' UNIT '' HISTOGRAM DELTA VALUES {{{HISTOGRAM}, {start}}}"),
        &[],
    );
    judged(
        "METRIC '' UNIT '1' GAUGE VALUES {'time' = at, 'value' = 1}",
        &["E1246"],
    );
}

#[test]
fn the_arrays_of_a_histogram_have_one_dimension_and_go_together() {
    let base = "'time' = at, 'count' = count";
    for (arrays, expected) in [
        (
            "'bucket_counts' = [1, 2, 3], 'explicit_bounds' = [0.5, 2]",
            &[][..],
        ),
        ("'bucket_counts' = [1], 'explicit_bounds' = []", &[]),
        ("'bucket_counts' = counts, 'explicit_bounds' = [0.5]", &[]),
        ("'bucket_counts' = buckets, 'explicit_bounds' = [0.5, 1.5]", &[]),
        (
            "'bucket_counts' = buckets, 'explicit_bounds' = bounds",
            &["E1269"],
        ),
        ("'bucket_counts' = [1], 'explicit_bounds' = [0.5]", &["E1269"]),
        ("'bucket_counts' = [1, -1], 'explicit_bounds' = [0.5]", &["E1268"]),
        (
            "'bucket_counts' = bounds, 'explicit_bounds' = counts",
            &["E1267", "E1267"],
        ),
        ("'bucket_counts' = counts, 'explicit_bounds' = grid", &["E1267"]),
        ("'bucket_counts' = count, 'explicit_bounds' = bounds", &["E1267"]),
        (
            "'bucket_counts' = counts, 'explicit_bounds' = bounds, 'sum' = total, 'min' = 1, 'max' = ratio",
            &[],
        ),
        (
            "'bucket_counts' = counts, 'explicit_bounds' = bounds, 'sum' = text",
            &["E1267"],
        ),
    ] {
        judged(
            &format!("METRIC 'm' UNIT '1' HISTOGRAM CUMULATIVE VALUES {{{base}, {arrays}}}"),
            expected,
        );
    }
    let negative = "'time' = at, 'count' = -1, 'bucket_counts' = counts, 'explicit_bounds' = bounds";
    judged(
        &format!("METRIC 'm' UNIT '1' HISTOGRAM CUMULATIVE VALUES {{{negative}}}"),
        &["E1268"],
    );
}

#[test]
fn attributes_take_what_otlp_has_a_form_for() {
    for (value, expected) in [
        ("text", &[][..]),
        ("maybe", &[]),
        ("small", &[]),
        ("total", &[]),
        ("at", &[]),
        ("TRUE", &[]),
        ("flags", &[]),
        ("bounds", &[]),
        ("leak_sensitive(secret)", &[]),
        ("secret", &["E1315"]),
        ("raw", &["E1267"]),
        ("raws", &["E1267"]),
        ("grid", &["E1267"]),
        ("NULL", &["E1307"]),
        ("['a']", &["E1318"]),
        ("output.text", &["E1302"]),
    ] {
        judged(
            &format!("LOGS VALUES {{{LOG}}} ATTRIBUTES {{'a' = {value}}}"),
            expected,
        );
    }
    judged(
        &format!("LOGS VALUES {{{LOG}}} ATTRIBUTES {{'a' = 1, 'a' = 2, '' = 3}}"),
        &["E1216", "E1262"],
    );
    judged(
        &format!("LOGS VALUES {{{LOG}}} ATTRIBUTES {{'time' = text, 'body' = text}}"),
        &[],
    );
}

#[test]
fn a_resource_is_of_literals() {
    for (value, expected) in [
        ("'shop'", &[][..]),
        ("TRUE", &[]),
        ("-5", &[]),
        ("1.5", &[]),
        ("'2026-01-01T00:00:00Z' AS DATETIME", &[]),
        ("[1, 2, 3]", &[]),
        ("[1, 2.5]", &[]),
        ("['a', 'b']", &[]),
        ("[]", &[]),
        ("NULL", &["E1270"]),
        ("text", &["E1270"]),
        ("lower('A')", &["E1270"]),
        ("1 + 1", &["E1270"]),
        ("'a' AS BYTES", &["E1267"]),
        ("[[1]]", &["E1318"]),
        ("[1, 'a']", &["E1304"]),
        ("[text]", &["E1318"]),
    ] {
        judged(
            &format!("LOGS VALUES {{{LOG}}} RESOURCE {{'a' = {value}}}"),
            expected,
        );
    }
    judged(
        &format!("LOGS VALUES {{{LOG}}} RESOURCE {{'a' = 1, 'a' = 2}}"),
        &["E1216"],
    );
}

#[test]
fn the_definition_says_by_index_what_is_what() {
    let emitter = definition(&unbatched(
        "OTEL otel METRIC 'm' UNIT 'By' DESCRIPTION 'd' SUM MONOTONIC DELTA
         VALUES {'value' = id, 'start_time' = at, 'time' = at} ATTRIBUTES {'value' = note, 'user.id' = id}
         RESOURCE {'ports' = [1, 2]} SCOPE 'nervix/audit' VERSION '1.0'",
    ));
    let SinkDef::Otel(otel) = &emitter.sink else {
        panic!("{:?}", emitter.sink)
    };
    let OtelSignal::Metric(metric) = &otel.signal else {
        panic!("{:?}", otel.signal)
    };
    assert_eq!(
        (
            metric.name.as_str(),
            metric.unit.as_str(),
            metric.description.as_deref()
        ),
        ("m", "By", Some("d"))
    );
    let OtelPoints::Sum {
        monotonic: true,
        temporality: Temporality::Delta,
        fields,
    } = &metric.points
    else {
        panic!("{:?}", metric.points)
    };
    assert_eq!((fields.time, fields.value, fields.start_time), (2, 0, Some(1)));
    assert_eq!(
        otel.attributes,
        [("value".to_owned(), 3), ("user.id".to_owned(), 4)]
    );
    let names: Vec<&str> = emitter
        .output
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "value",
            "start_time",
            "time",
            "attributes.value",
            "attributes.user.id"
        ]
    );
    assert_eq!(otel.resource[0].data_type, DataType::Vec(Box::new(DataType::I64)));
    assert_eq!(
        otel.resource[0].value,
        Literal::List(vec![Literal::I64(1), Literal::I64(2)])
    );
    let scope = otel.scope.as_ref().unwrap();
    assert_eq!(
        (scope.name.as_str(), scope.version.as_deref()),
        ("nervix/audit", Some("1.0"))
    );
    assert!(emitter.batch.is_none());
    refused(
        &unbatched("OTEL pg LOGS VALUES {'time' = at, 'body' = origin}"),
        &["E1240"],
    );
}
