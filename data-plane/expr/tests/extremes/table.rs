//! One table: expressions over a column of values, and what each gives of each of them.

use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{Field as ArrowField, Schema as ArrowSchema};
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Frame, Program};
use nspl::model::{Definition, EntityKey, EntityKind, Step};
use nspl::{Catalog, check};
use nspl_model::{DataType, Expr, Literal};

use crate::literals::{answer, shown};
use crate::values;

/// The expression `text`, of type `to`, over a field `v` of type `of`.
pub(crate) fn expression(of: &str, text: &str, to: &str) -> Expr {
    let script = format!(
        "CREATE UNPACED DOMAIN d; USE d; BEGIN;
         CREATE SCHEMA source (v {of} OPTIONAL);
         CREATE SCHEMA target (c {to} OPTIONAL);
         CREATE RELAY r SCHEMA source UNBRANCHED;
         CREATE EMITTER e FROM r TO CLIENT SCHEMA target
           MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 1s MAX 30s SET c = {text}
           BATCH MAX MESSAGES 10 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         COMMIT;"
    );
    let report = check("extremes.nspl", &script, None, &Catalog::default());
    let said: Vec<&str> = report
        .diagnostics
        .iter()
        .map(|found| found.message.as_str())
        .collect();
    assert!(!report.is_refused(), "{text}: {said:?}");
    let key = EntityKey::new(EntityKind::Emitter, "e");
    let entity = report.plan.catalog.get("d", &key).unwrap();
    let Definition::Emitter(emitter) = &entity.definition else {
        panic!("e is an emitter");
    };
    match emitter.construction.steps.as_slice() {
        [Step::Set(assignment)] => assignment.expr.clone(),
        _ => panic!("one SET was written"),
    }
}

/// A slice of a batch in which `beside` stands before and behind the values.
pub(crate) fn batch(of: &DataType, values: &[Literal], beside: &Literal) -> RecordBatch {
    let mut all = vec![beside.clone()];
    all.extend_from_slice(values);
    all.push(beside.clone());
    let column = values::column(of, &all);
    let field = ArrowField::new("v", column.data_type().clone(), true);
    let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(vec![field])), vec![column]).unwrap();
    batch.slice(1, values.len())
}

pub(crate) fn results(expr: &Expr, batch: &RecordBatch) -> Vec<String> {
    let snapshot = Snapshot {
        domain_time: DomainTime(0),
        seed: [0; 32],
    };
    let evaluated = Program::compile(expr)
        .unwrap()
        .evaluate(&Frame::of_input(batch, &snapshot));
    let row = |row: usize| match evaluated.errors.at(u32::try_from(row).unwrap()) {
        Some(error) => format!("<{:?}>", error.fault),
        None => shown(&answer(&evaluated.array, &expr.data_type, row)),
    };
    (0..batch.num_rows()).map(row).collect()
}

/// An expression, its type, and what it gives of each value.
pub(crate) type Line = (&'static str, &'static str, &'static [&'static str]);

/// Holds a table: over all values at once, and over each in a batch of one row.
pub(crate) fn hold(of: (&str, &DataType), values: &[Literal], table: &[Line]) {
    let mut wrong = Vec::new();
    for (text, to, wanted) in table {
        let expr = expression(of.0, text, to);
        let found = results(&expr, &batch(of.1, values, &values[0]));
        let alone: Vec<String> = values
            .iter()
            .flat_map(|value| results(&expr, &batch(of.1, std::slice::from_ref(value), &values[0])))
            .collect();
        if found != *wanted || alone != *wanted {
            wrong.push(format!(
                "{text} gives {found:?}, alone {alone:?}, wanted {wanted:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
