//! The working message (`emitters.txt`, "Codec-emitter construction"; companion section 5): what `input`, `output`, `message` and a bare
//! name are before and after each step, from the text of an emitter to its records.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use nervix_clock::{DomainTime, Snapshot};
use nervix_columns::arrow_schema;
use nervix_expr::{Constructor, Frame};
use nspl::model::{Definition, EmitterDef, EntityKey, EntityKind};
use nspl::{Catalog, check};

/// What a construction makes of two records, or the code under which it is refused.
type Row = (&'static str, Result<&'static str, &'static str>);

/// The source rows have a = 'a1', 'a2'; b = 'b1', 'b2'; n = 1, null; m = 7, 8. The output has x besides, and its m is a
/// STRING. Shown is `a b n x m` of each record, `.` for null.
const TABLE: [Row; 20] = [
    // Nothing is set at the beginning: bare and message are the source row.
    ("SET b = a, a = 'x'", Ok("x a1 . . . | x a2 . . .")),
    ("SET b = message.a, a = 'x'", Ok("x a1 . . . | x a2 . . .")),
    // Behind a SET they are what was set; input stays what it was.
    ("SET a = 'x', b = a", Ok("x x . . . | x x . . .")),
    ("SET a = 'x', b = message.a", Ok("x x . . . | x x . . .")),
    ("SET a = 'x', b = input.a", Ok("x a1 . . . | x a2 . . .")),
    ("SET a = 'x', b = output.a", Ok("x x . . . | x x . . .")),
    // output needs a step before it.
    ("SET b = output.a, a = 'x'", Err("E1303")),
    ("INHERIT a SET b = output.a", Ok("a1 a1 . . . | a2 a2 . . .")),
    // INHERIT is a step; what it leaves out is not set.
    ("INHERIT ALL EXCEPT m", Ok("a1 b1 1 . . | a2 b2 . . .")),
    ("INHERIT ALL EXCEPT m, b SET b = output.b", Err("E1303")),
    (
        "INHERIT ALL EXCEPT m, b SET b = concat(b, '!')",
        Ok("a1 b1! 1 . . | a2 b2! . . ."),
    ),
    // Targets may repeat, in written order.
    (
        "INHERIT a, b SET a = concat(a, '1'), a = concat(a, '2'), x = a, a = input.a",
        Ok("a1 b1 . a112 . | a2 b2 . a212 ."),
    ),
    (
        "INHERIT a, b SET n = n, n = n + 1, n = n + 1",
        Ok("a1 b1 3 . . | a2 b2 . . ."),
    ),
    // A field of another type on both sides is the output's alone, once it is set.
    ("INHERIT a, b SET x = m AS STRING", Err("E1303")),
    (
        "INHERIT a, b SET x = input.m AS STRING",
        Ok("a1 b1 . 7 . | a2 b2 . 8 ."),
    ),
    ("INHERIT a, b SET m = 'y', x = m", Ok("a1 b1 . y y | a2 b2 . y y")),
    // The route's WHERE reads the finished record, where what was never set is null.
    (
        "INHERIT a, b SET a = 'x' WHERE a = 'x' AND message.a = output.a AND is_null(x)",
        Ok("x b1 . . . | x b2 . . ."),
    ),
    ("INHERIT a, b SET a = 'x' WHERE input.a = 'a2'", Ok("x b2 . . .")),
    ("INHERIT a, b, n WHERE n = 1", Ok("a1 b1 1 . .")),
    ("INHERIT a, b WHERE n = 1", Ok("")),
];

/// What VALUES makes, or the code under which it is refused. Every entry reads the source row, whatever stands before it,
/// and there is no output.
const VALUES: [Row; 8] = [
    ("{'a' = b, 'b' = a}", Ok("b1 a1 | b2 a2")),
    ("{'a' = 'x', 'b' = a}", Ok("x a1 | x a2")),
    ("{'a' = 'x', 'b' = message.a}", Ok("x a1 | x a2")),
    ("{'a' = input.a, 'n' = n, 'm' = m}", Ok("a1 1 7 | a2 . 8")),
    ("{'a' = 'x', 'b' = output.a}", Err("E1302")),
    ("{'n' = n + m} WHERE a = 'a1'", Ok("8")),
    ("{'a' = 'x'} WHERE a = 'x'", Ok("")),
    ("{'a' = 'x'} WHERE output.a = 'x'", Err("E1302")),
];

fn of_client(construction: &str) -> Result<Arc<EmitterDef>, Vec<&'static str>> {
    emitter(&format!(
        "TO CLIENT SCHEMA target
           MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 1s MAX 30s
           {construction}"
    ))
}

fn of_table(values: &str) -> Result<Arc<EmitterDef>, Vec<&'static str>> {
    emitter(&format!(
        "TO POSTGRES pg INSERT TO TABLE t VALUES {values} MODE ACK RETRY POLICY BACKOFF 1s MAX 30s"
    ))
}

fn emitter(sink: &str) -> Result<Arc<EmitterDef>, Vec<&'static str>> {
    let text = format!(
        "CREATE UNPACED DOMAIN d; USE d; BEGIN;
         CREATE SCHEMA source (a STRING, b STRING, n I64 OPTIONAL, m I64);
         CREATE SCHEMA target (a STRING, b STRING, n I64 OPTIONAL, x STRING OPTIONAL, m STRING OPTIONAL);
         CREATE RELAY r SCHEMA source UNBRANCHED;
         CREATE CLIENT pg TYPE POSTGRES POOL SIZE MIN 0 MAX 2 CONFIG {{'addr' = 'postgres://localhost/d?sslmode=disable'}};
         CREATE EMITTER e FROM r {sink}
           BATCH MAX MESSAGES 10 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         COMMIT;"
    );
    let report = check("emitter.nspl", &text, None, &Catalog::default());
    if report.is_refused() {
        return Err(report.diagnostics.iter().map(|found| found.code).collect());
    }
    let key = EntityKey::new(EntityKind::Emitter, "e");
    let entity = report.plan.catalog.get("d", &key).unwrap();
    match &entity.definition {
        Definition::Emitter(emitter) => Ok(emitter.clone()),
        _ => panic!("e is an emitter"),
    }
}

fn built(emitter: &EmitterDef) -> String {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec!["a1", "a2"])),
        Arc::new(StringArray::from(vec!["b1", "b2"])),
        Arc::new(Int64Array::from(vec![Some(1), None])),
        Arc::new(Int64Array::from(vec![7, 8])),
    ];
    let source = RecordBatch::try_new(arrow_schema(&emitter.sources[0].relay.schema), columns).unwrap();
    let snapshot = Snapshot {
        domain_time: DomainTime(0),
        seed: [0; 32],
    };
    let constructor = Constructor::compile(&emitter.construction, &emitter.output).unwrap();
    let constructed = constructor
        .construct(&Frame::of_input(&source, &snapshot))
        .unwrap();
    assert!(constructed.failures.is_empty());
    let batch = constructed.batch;
    let one = |row: usize| {
        let words: Vec<String> = batch.columns().iter().map(|column| word(column, row)).collect();
        words.join(" ")
    };
    (0..batch.num_rows()).map(one).collect::<Vec<_>>().join(" | ")
}

fn word(column: &ArrayRef, row: usize) -> String {
    if column.is_null(row) {
        return ".".into();
    }
    match column.as_string_opt::<i32>() {
        Some(texts) => texts.value(row).into(),
        None => column
            .as_primitive::<arrow::datatypes::Int64Type>()
            .value(row)
            .to_string(),
    }
}

/// Rows whose construction gives something else.
fn wrong(table: &[Row], emitter: fn(&str) -> Result<Arc<EmitterDef>, Vec<&'static str>>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (construction, wanted) in table {
        let found = match emitter(construction) {
            Ok(emitter) => Ok(built(&emitter)),
            Err(codes) => Err(codes.join(" ")),
        };
        let wanted = wanted.map(str::to_owned).map_err(str::to_owned);
        if found != wanted {
            wrong.push(format!("{construction}\n  gives {found:?}\n  wanted {wanted:?}"));
        }
    }
    wrong
}

#[test]
fn each_step_reads_what_the_steps_before_it_made() {
    let wrong = wrong(&TABLE, of_client);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_read_the_source_row_and_nothing_that_they_set() {
    let wrong = wrong(&VALUES, of_table);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
