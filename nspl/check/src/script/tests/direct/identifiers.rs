//! Names of tables, columns and fields: refused where no write could succeed, warned of where one may surprise.

use super::{BATCH, LOG, MODE, refused};

fn emitter(sink: &str, values: &str, conflict: &str) -> String {
    format!("CREATE EMITTER e FROM events TO {sink} VALUES {{{values}}} {conflict} {MODE} {BATCH} {LOG}")
}

fn judged(sink: &str, values: &str, conflict: &str, expected: &[&str]) {
    refused(&emitter(sink, values, conflict), expected);
}

#[test]
fn postgres_cuts_names_to_63_bytes() {
    let (fits, long) = ("a".repeat(63), "a".repeat(64));
    judged(
        "POSTGRES pg INSERT TO TABLE t",
        &format!("'{fits}' = id"),
        "",
        &[],
    );
    judged(
        "POSTGRES pg INSERT TO TABLE t",
        &format!("'{long}' = id"),
        "",
        &["W1003"],
    );
    judged(
        &format!("POSTGRES pg INSERT TO TABLE 's.{long}'"),
        "'a' = id",
        "",
        &["W1003"],
    );
    let alike = format!("'{long}b' = id, '{fits}' = id");
    judged("POSTGRES pg INSERT TO TABLE t", &alike, "", &["W1003", "E1262"]);
    judged("CLICKHOUSE ch INSERT TO TABLE t", &alike, "", &[]);
}

#[test]
fn mysql_refuses_names_past_64_characters() {
    let long = "é".repeat(65);
    judged(
        "MYSQL mysql INSERT TO TABLE t",
        &format!("'{long}' = id, '{}' = id", "é".repeat(64)),
        "",
        &["E1262"],
    );
    judged("MYSQL mysql INSERT TO TABLE t", "'a ' = id", "", &["E1262"]);
    judged(
        &format!("MYSQL mysql INSERT TO TABLE '{long}'"),
        "'a' = id",
        "",
        &["E1246"],
    );
}

#[test]
fn a_row_has_no_more_columns_than_a_table() {
    let columns = |count: usize| {
        (0..count)
            .map(|index| format!("'c{index}' = id"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    judged("POSTGRES pg INSERT TO TABLE t", &columns(1_600), "", &[]);
    judged("POSTGRES pg INSERT TO TABLE t", &columns(1_601), "", &["E1262"]);
    judged("MYSQL mysql INSERT TO TABLE t", &columns(4_096), "", &[]);
    judged("MYSQL mysql INSERT TO TABLE t", &columns(4_097), "", &["E1262"]);
    judged("MONGODB mongo INSERT TO COLLECTION t", &columns(4_097), "", &[]);
}

#[test]
fn mongodb_minds_dots_and_dollars() {
    let (sink, conflict) = (
        "MONGODB mongo INSERT TO COLLECTION t",
        "ON CONFLICT ('a') DO UPDATE",
    );
    judged(sink, "'a' = id, 'b.c' = id", "", &["W1003"]);
    judged(sink, "'a' = id, 'b.c' = id", conflict, &["W1003"]);
    judged(sink, "'a' = id, '$b' = id", "", &["W1003"]);
    judged(sink, "'a' = id, '$b' = id", conflict, &["E1262"]);
    judged(sink, "'a' = id, 'b..c' = id", conflict, &["E1262"]);
}
