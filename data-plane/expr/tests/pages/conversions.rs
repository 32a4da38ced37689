//! What may be cast to what, and what JSON_VALUE may give: tried out with the values at the edges of each type.

use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Frame, Program};
use nspl_model::{CastError, DataType, Expr, ExprKind, FieldRef, JsonPath, Scope};

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema};
use std::sync::Arc;

use crate::values::{column, edges};

pub(crate) fn field(of: &DataType) -> Expr {
    let field = FieldRef {
        scope: Scope::Input,
        name: "f".into(),
        index: 0,
    };
    node(of.clone(), ExprKind::Field(field))
}

pub(crate) fn node(data_type: DataType, kind: ExprKind) -> Expr {
    Expr {
        data_type,
        nullable: true,
        sensitive: false,
        kind,
    }
}

/// How many of the edges of a type fail; `None` when the expression is not defined for it.
pub(crate) fn failing(of: &DataType, expr: &Expr) -> Option<usize> {
    let program = Program::compile(expr).ok()?;
    let array = column(of, &edges(of));
    let schema = Schema::new(vec![Field::new("f", array.data_type().clone(), true)]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![array]).unwrap();
    let snapshot = Snapshot {
        domain_time: DomainTime(0),
        seed: [0; 32],
    };
    Some(program.evaluate(&Frame::of_input(&batch, &snapshot)).errors.len())
}

fn cast(from: &DataType, to: &DataType) -> &'static str {
    let kind = ExprKind::Cast {
        operand: Box::new(field(from)),
        on_error: CastError::Fail,
    };
    match failing(from, &node(to.clone(), kind)) {
        None => "",
        Some(0) => "always",
        Some(_) => "checked",
    }
}

pub(crate) fn page() -> String {
    let mut text = String::from(
        "# Casts and JSON\n\n`e AS T` converts, and what does not fit exactly is an error of the record; `TRY_CAST(e AS T)` is \
         null instead, but an error inside `e` stays one. Null stays null. [All expressions](README.md).\n\n\
         A row says what its type may be cast to: `always` never fails, `checked` may.\n\n",
    );
    text.push_str("| from \\ to |");
    for to in DataType::SCALARS {
        text.push_str(&format!(" {to} |"));
    }
    text.push_str(&format!("\n|---|{}\n", "---|".repeat(DataType::SCALARS.len())));
    for from in DataType::SCALARS {
        text.push_str(&format!("| {from} |"));
        for to in DataType::SCALARS {
            text.push_str(&format!(" {} |", cast(&from, &to)));
        }
        text.push('\n');
    }
    text.push_str(
        "\nF64 to F32 rounds and fails past the range; every other cast between numbers is exact or fails. ARRAY and VEC are \
         cast to nothing.\n\n## JSON\n\n`JSON_VALUE(document, '$.path' AS T)` reads a scalar, always of type OPTIONAL: a missing \
         path and a JSON null give null, text that is no JSON and a value of another type are errors of the record, or null with \
         TRY_JSON_VALUE. `JSON_EXISTS(document, '$.path')` is BOOL; a JSON null is there.\n\n| T | read from JSON |\n|---|---|\n",
    );
    for to in DataType::SCALARS {
        if let Some(form) = json(&to) {
            text.push_str(&format!("| {to} | {form} |\n"));
        }
    }
    text
}

fn json(to: &DataType) -> Option<&'static str> {
    let kind = ExprKind::JsonValue {
        document: Box::new(field(&DataType::String)),
        path: JsonPath::parse("$").unwrap(),
        on_error: CastError::Fail,
    };
    failing(&DataType::String, &node(to.clone(), kind))?;
    Some(match to {
        DataType::Bool => "`true` and `false`",
        DataType::String => "a string",
        DataType::DateTime => "a string in RFC 3339",
        DataType::F32 | DataType::F64 => "a number, rounded; past the range is an error",
        _ => "a number that is whole and in range, in any spelling",
    })
}
