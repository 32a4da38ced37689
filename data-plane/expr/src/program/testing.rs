//! Expressions and frames for the tests of this room.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema, TimestampNanosecondType};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use nervix_clock::{DomainTime, Snapshot};
use nervix_columns::text::DateTimeText;
use nspl_model::{
    BinaryOp, CastError, DataType, Expr, ExprKind, FieldRef, Function, JsonPath, Literal, ResultType, Scope,
};

use crate::{Evaluated, Fault, Frame, Program};

/// The snapshot of every test: 2026-01-01T00:00:00.123456789Z.
pub(crate) fn snapshot() -> Snapshot {
    Snapshot {
        domain_time: DomainTime(1_767_225_600_123_456_789),
        seed: [7; 32],
    }
}

pub(crate) fn expr(data_type: DataType, kind: ExprKind) -> Expr {
    Expr {
        data_type,
        nullable: true,
        sensitive: false,
        kind,
    }
}

pub(crate) fn literal(data_type: DataType, literal: Literal) -> Expr {
    expr(data_type, ExprKind::Literal(literal))
}

pub(crate) fn int(value: i64) -> Expr {
    literal(DataType::I64, Literal::I64(value))
}

pub(crate) fn real(value: f64) -> Expr {
    literal(DataType::F64, Literal::F64(value))
}

pub(crate) fn text(value: &str) -> Expr {
    literal(DataType::String, Literal::String(value.into()))
}

pub(crate) fn boolean(value: bool) -> Expr {
    literal(DataType::Bool, Literal::Bool(value))
}

pub(crate) fn null(data_type: DataType) -> Expr {
    literal(data_type, Literal::Null)
}

pub(crate) fn column(scope: Scope, index: usize, data_type: DataType) -> Expr {
    expr(
        data_type,
        ExprKind::Field(FieldRef {
            scope,
            name: format!("f{index}"),
            index,
        }),
    )
}

/// A column of the source row, called `f` and its position.
pub(crate) fn input(index: usize, data_type: DataType) -> Expr {
    column(Scope::Input, index, data_type)
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let data_type = if op.is_arithmetic() {
        left.data_type.clone()
    } else {
        DataType::Bool
    };
    expr(
        data_type,
        ExprKind::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right),
        },
    )
}

pub(crate) fn negate(operand: Expr) -> Expr {
    expr(operand.data_type.clone(), ExprKind::Negate(Box::new(operand)))
}

pub(crate) fn not(operand: Expr) -> Expr {
    expr(DataType::Bool, ExprKind::Not(Box::new(operand)))
}

pub(crate) fn cast(operand: Expr, to: DataType) -> Expr {
    expr(
        to,
        ExprKind::Cast {
            operand: Box::new(operand),
            on_error: CastError::Fail,
        },
    )
}

pub(crate) fn try_cast(operand: Expr, to: DataType) -> Expr {
    expr(
        to,
        ExprKind::Cast {
            operand: Box::new(operand),
            on_error: CastError::Null,
        },
    )
}

pub(crate) fn case(operand: Option<Expr>, arms: Vec<(Expr, Expr)>, otherwise: Option<Expr>) -> Expr {
    let data_type = arms[0].1.data_type.clone();
    let (operand, otherwise) = (operand.map(Box::new), otherwise.map(Box::new));
    expr(
        data_type,
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        },
    )
}

pub(crate) fn json_value(document: Expr, path: &str, to: DataType, on_error: CastError) -> Expr {
    let path = JsonPath::parse(path).unwrap();
    expr(
        to,
        ExprKind::JsonValue {
            document: Box::new(document),
            path,
            on_error,
        },
    )
}

pub(crate) fn json_exists(document: Expr, path: &str) -> Expr {
    let path = JsonPath::parse(path).unwrap();
    expr(
        DataType::Bool,
        ExprKind::JsonExists {
            document: Box::new(document),
            path,
        },
    )
}

pub(crate) fn call_at(function: Function, args: Vec<Expr>, site: u32) -> Expr {
    let data_type = match function.signature().result {
        ResultType::Bool => DataType::Bool,
        ResultType::String => DataType::String,
        ResultType::I64 => DataType::I64,
        ResultType::F64 => DataType::F64,
        ResultType::DateTime => DataType::DateTime,
        ResultType::First => args[0].data_type.clone(),
    };
    expr(data_type, ExprKind::Call { function, args, site })
}

pub(crate) fn call(function: Function, args: Vec<Expr>) -> Expr {
    call_at(function, args, 0)
}

/// A batch of nullable columns `f0`, `f1`, ...
pub(crate) fn batch(columns: Vec<ArrayRef>) -> RecordBatch {
    let fields = columns.iter().enumerate();
    let fields =
        fields.map(|(index, array)| Field::new(format!("f{index}"), array.data_type().clone(), true));
    let rows = columns.first().map_or(0, |column| column.len());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    RecordBatch::try_new_with_options(schema, columns, &options).unwrap()
}

pub(crate) fn evaluate(expr: &Expr, input: &RecordBatch) -> Evaluated {
    let snapshot = snapshot();
    Program::compile(expr)
        .unwrap()
        .evaluate(&Frame::of_input(input, &snapshot))
}

/// One value as a word: `null`, or the text that Arrow prints.
pub(crate) fn word(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) {
        return "null".into();
    }
    // Arrow prints no named zone without a table of zones.
    if let Some(times) = array.as_primitive_opt::<TimestampNanosecondType>() {
        return DateTimeText::of(times.value(row)).as_str().to_owned();
    }
    ArrayFormatter::try_new(array, &FormatOptions::default())
        .unwrap()
        .value(row)
        .to_string()
}

/// Each row as a word: its value, or the fault in angle brackets. Checks that failed slots are null.
pub(crate) fn words(evaluated: &Evaluated) -> Vec<String> {
    let one = |row: usize| match evaluated.errors.at(row as u32) {
        None => word(&evaluated.array, row),
        Some(error) => {
            assert!(evaluated.array.is_null(row), "the slot of a failed row is null");
            format!("<{:?}>", error.fault)
        }
    };
    (0..evaluated.array.len()).map(one).collect()
}

/// The rows of an expression over a batch, as words.
pub(crate) fn rows(expr: &Expr, input: &RecordBatch) -> Vec<String> {
    words(&evaluate(expr, input))
}

/// The one row of an expression that reads no column.
pub(crate) fn one(expr: &Expr) -> String {
    let input = batch(vec![Arc::new(arrow::array::Int64Array::from(vec![0, 0]))]);
    let words = rows(expr, &input);
    assert_eq!(words[0], words[1]);
    words[0].clone()
}

/// How a fault shows in a row.
pub(crate) fn failed(fault: Fault) -> String {
    format!("<{fault:?}>")
}
