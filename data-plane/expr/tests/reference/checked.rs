//! The way of an expression from its text: schema, script and checker to the typed expression that is evaluated.

use nspl::model::{Definition, EntityKey, EntityKind, Step};
use nspl::{Catalog, check};
use nspl_model::{DataType, Expr};

use crate::table::{Table, name};

/// What the checker makes of `SET c = text`, or the codes under which it refuses it.
pub(crate) fn checked(table: &Table, of: &DataType, text: &str) -> Result<Expr, Vec<&'static str>> {
    let fields = table.columns.iter().enumerate().map(|(index, column)| {
        let optional = if column.nullable { " OPTIONAL" } else { "" };
        let sensitive = if column.sensitive { " SENSITIVE" } else { "" };
        format!("{} {}{optional}{sensitive}", name(index), column.of)
    });
    let fields: Vec<String> = fields.collect();
    let script = format!(
        "CREATE UNPACED DOMAIN d; USE d; BEGIN;
         CREATE SCHEMA source ({});
         CREATE SCHEMA target (c {of} OPTIONAL);
         CREATE RELAY r SCHEMA source UNBRANCHED;
         CREATE EMITTER e FROM r TO CLIENT SCHEMA target
           MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 1s MAX 30s SET c = {text}
           BATCH MAX MESSAGES 10 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         COMMIT;",
        fields.join(", ")
    );
    let report = check("reference.nspl", &script, None, &Catalog::default());
    if report.is_refused() {
        return Err(report.diagnostics.iter().map(|found| found.code).collect());
    }
    let entity = report
        .plan
        .catalog
        .get("d", &EntityKey::new(EntityKind::Emitter, "e"));
    let Definition::Emitter(emitter) = &entity.unwrap().definition else {
        panic!("e is an emitter");
    };
    match emitter.construction.steps.as_slice() {
        [Step::Set(assignment)] => Ok(assignment.expr.clone()),
        _ => panic!("one SET was written"),
    }
}
