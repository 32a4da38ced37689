//! Every kind of error of a record, wherever its row stands: that row fails alone, and all others have their values.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "reference/dice.rs"]
#[allow(dead_code, reason = "nothing here is random")]
mod dice;
#[path = "reference/values.rs"]
#[allow(dead_code, reason = "the values stand in the cases")]
mod values;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::kernels::cmp::not_distinct;
use arrow::datatypes::{Field as ArrowField, Schema as ArrowSchema};
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Constructor, EvalError, Fault, Frame, Predicate, Program, RowGroup};
use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{
    Assignment, BinaryOp, CastError, Construction, DataType, Expr, ExprKind, Field, FieldRef, Function,
    JsonPath, Literal, Schema, Scope, Step,
};

/// Bits of a mask stand in words of 64.
const LENGTHS: [usize; 6] = [1, 2, 3, 63, 64, 130];

/// An expression over one column, a value for which it has one, and a value for which it fails.
struct Case {
    fault: Fault,
    operation: &'static str,
    expr: Expr,
    of: DataType,
    good: Literal,
    bad: Literal,
}

fn node(data_type: DataType, kind: ExprKind) -> Expr {
    Expr {
        data_type,
        nullable: true,
        sensitive: false,
        kind,
    }
}

fn field(of: &DataType) -> Expr {
    let field = FieldRef {
        scope: Scope::Input,
        name: "f".into(),
        index: 0,
    };
    node(of.clone(), ExprKind::Field(field))
}

fn literal(of: DataType, literal: Literal) -> Expr {
    node(of, ExprKind::Literal(literal))
}

fn text(text: &str) -> Literal {
    Literal::String(text.into())
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    node(left.data_type.clone(), ExprKind::Binary { op, left, right })
}

fn cast(of: &DataType, to: DataType) -> Expr {
    let kind = ExprKind::Cast {
        operand: Box::new(field(of)),
        on_error: CastError::Fail,
    };
    node(to, kind)
}

fn call(function: Function, result: DataType, args: Vec<Expr>) -> Expr {
    node(
        result,
        ExprKind::Call {
            function,
            args,
            site: 0,
        },
    )
}

fn json(to: DataType) -> Expr {
    let kind = ExprKind::JsonValue {
        document: Box::new(field(&DataType::String)),
        path: JsonPath::parse("$").unwrap(),
        on_error: CastError::Fail,
    };
    node(to, kind)
}

const FAULTS: [Fault; 13] = [
    Fault::Overflow,
    Fault::DivisionByZero,
    Fault::OutOfRange,
    Fault::Unreadable,
    Fault::NotUtf8,
    Fault::NotJson,
    Fault::JsonType,
    Fault::Domain,
    Fault::NegativeCount,
    Fault::ZeroIndex,
    Fault::TooLong,
    Fault::Pattern,
    Fault::Internal,
];

/// A case, its fault still missing.
type Parts = (&'static str, Expr, DataType, Literal, Literal);

/// `None` for a defect of the engine, which no record can cause.
fn case(fault: Fault) -> Option<Case> {
    let (operation, expr, of, good, bad) = match fault {
        Fault::Overflow | Fault::DivisionByZero => arithmetic(fault),
        Fault::OutOfRange | Fault::Unreadable | Fault::NotUtf8 => conversion(fault),
        Fault::NotJson => (
            "JSON_VALUE",
            json(DataType::I64),
            DataType::String,
            text("1e2"),
            text("{"),
        ),
        Fault::JsonType => (
            "JSON_VALUE",
            json(DataType::I64),
            DataType::String,
            text("1"),
            text("\"1\""),
        ),
        Fault::Domain => (
            "ln",
            call(Function::Ln, DataType::F64, vec![field(&DataType::F64)]),
            DataType::F64,
            Literal::F64(1.0),
            Literal::F64(-0.0),
        ),
        Fault::NegativeCount => counting(Function::Left, &["e\u{301}🦀"], (1, -1)),
        Fault::ZeroIndex => counting(Function::SplitPart, &["a,b", ","], (-1, 0)),
        Fault::TooLong => counting(Function::Repeat, &["ab"], (2, i64::MAX)),
        Fault::Pattern => {
            let subject = literal(DataType::String, text("a"));
            let args = vec![subject, field(&DataType::String)];
            let like = call(Function::RegexpLike, DataType::Bool, args);
            ("regexp_like", like, DataType::String, text("^.$"), text("("))
        }
        Fault::Internal => return None,
    };
    Some(Case {
        fault,
        operation,
        expr,
        of,
        good,
        bad,
    })
}

fn arithmetic(fault: Fault) -> Parts {
    use DataType::I64;
    let number = |value| literal(I64, Literal::I64(value));
    let numbers = |good, bad| (Literal::I64(good), Literal::I64(bad));
    let (symbol, expr, (good, bad)) = match fault {
        Fault::Overflow => (
            "/",
            binary(BinaryOp::Divide, field(&I64), number(-1)),
            numbers(i64::MAX, i64::MIN),
        ),
        _ => (
            "/",
            binary(BinaryOp::Divide, number(6), field(&I64)),
            numbers(-4, 0),
        ),
    };
    (symbol, expr, I64, good, bad)
}

fn conversion(fault: Fault) -> Parts {
    use DataType::{Bytes, DateTime, I8, I64, String};
    let (expr, of, good, bad) = match fault {
        Fault::OutOfRange => (cast(&I64, I8), I64, Literal::I64(-128), Literal::I64(128)),
        Fault::Unreadable => (
            cast(&String, DateTime),
            String,
            text("1969-12-31T23:59:59.5Z"),
            text("1969-12-31"),
        ),
        _ => (
            cast(&Bytes, String),
            Bytes,
            Literal::Bytes("🦀".into()),
            Literal::Bytes(vec![0xF0, 0x9F]),
        ),
    };
    ("AS", expr, of, good, bad)
}

/// A function of texts and a count, which is the column.
fn counting(function: Function, texts: &[&str], (good, bad): (i64, i64)) -> Parts {
    let mut args: Vec<Expr> = texts
        .iter()
        .map(|value| literal(DataType::String, text(value)))
        .collect();
    args.push(field(&DataType::I64));
    (
        function.name(),
        call(function, DataType::String, args),
        DataType::I64,
        Literal::I64(good),
        Literal::I64(bad),
    )
}

/// The rows that are bad: the first, one in the middle, the last, several, all, none.
fn places(rows: usize) -> Vec<Vec<usize>> {
    vec![
        vec![0],
        vec![rows / 2],
        vec![rows - 1],
        (0..rows).step_by(3).collect(),
        (0..rows).collect(),
        vec![],
    ]
}

/// A batch that is a slice, with something bad before and behind it.
fn batch(case: &Case, rows: usize, bad: &[usize]) -> RecordBatch {
    let mut values = vec![case.bad.clone()];
    values.extend((0..rows).map(|row| {
        if bad.contains(&row) {
            case.bad.clone()
        } else {
            case.good.clone()
        }
    }));
    values.push(case.bad.clone());
    let array = values::column(&case.of, &values);
    let schema = ArrowSchema::new(vec![ArrowField::new("f", array.data_type().clone(), false)]);
    RecordBatch::try_new(Arc::new(schema), vec![array])
        .unwrap()
        .slice(1, rows)
}

fn snapshot() -> Snapshot {
    Snapshot {
        domain_time: DomainTime(0),
        seed: [0; 32],
    }
}

/// Calls `check` with each case at each length with each choice of rows.
fn everywhere(mut check: impl FnMut(&Case, &RecordBatch, &[usize])) {
    for case in FAULTS.into_iter().filter_map(case) {
        for rows in LENGTHS {
            for bad in places(rows) {
                check(&case, &batch(&case, rows, &bad), &bad);
            }
        }
    }
}

#[test]
fn a_row_fails_alone_with_its_fault_and_its_slot_is_null() {
    everywhere(|case, batch, bad| {
        let snapshot = snapshot();
        let evaluated = Program::compile(&case.expr)
            .unwrap()
            .evaluate(&Frame::of_input(batch, &snapshot));
        let (fault, operation) = (case.fault, case.operation);
        let wanted = bad
            .iter()
            .map(|row| (*row as u32, EvalError { fault, operation }));
        assert!(
            evaluated.errors.iter().eq(wanted),
            "{fault:?} in {bad:?} of {}",
            batch.num_rows()
        );
        let alone = self::batch(case, 1, &[]);
        let good = Program::compile(&case.expr)
            .unwrap()
            .evaluate(&Frame::of_input(&alone, &snapshot))
            .array;
        for row in 0..batch.num_rows() {
            assert_eq!(evaluated.array.is_null(row), bad.contains(&row));
            if !bad.contains(&row) {
                let same = not_distinct(&evaluated.array.slice(row, 1), &good).unwrap();
                assert!(same.value(0), "{fault:?}: row {row} of {bad:?}");
            }
        }
    });
}

#[test]
fn where_keeps_the_other_rows() {
    everywhere(|case, batch, bad| {
        let is_null = call(Function::IsNull, DataType::Bool, vec![case.expr.clone()]);
        let condition = node(DataType::Bool, ExprKind::Not(Box::new(is_null)));
        let snapshot = snapshot();
        let predicate = Predicate::compile(&condition, Operation::Filter).unwrap();
        let filtered = predicate.keep(&Frame::of_input(batch, &snapshot));
        let kept: Vec<usize> = filtered.keep.set_indices().collect();
        let wanted: Vec<usize> = (0..batch.num_rows()).filter(|row| !bad.contains(row)).collect();
        assert_eq!(kept, wanted, "{:?}", case.fault);
        let failed: Vec<usize> = filtered
            .failures
            .iter()
            .map(|failure| failure.row as usize)
            .collect();
        assert_eq!(failed, bad);
        assert_eq!(filtered.keeps_all(), bad.is_empty());
    });
}

#[test]
fn construction_keeps_the_other_rows_and_knows_what_was_set_of_the_failed_ones() {
    everywhere(|case, batch, bad| {
        let output = |name: &str, data_type: &DataType| Field {
            name: name.into(),
            data_type: data_type.clone(),
            optional: true,
            sensitive: false,
        };
        let target = Schema {
            name: "out".into(),
            fields: vec![output("f", &case.of), output("x", &case.expr.data_type)],
        };
        let construction = Construction {
            steps: vec![
                Step::Inherit { output: 0, input: 0 },
                Step::Set(Assignment {
                    index: 1,
                    expr: case.expr.clone(),
                }),
            ],
            filter: None,
        };
        let snapshot = snapshot();
        let constructor = Constructor::compile(&construction, &target).unwrap();
        let built = constructor.construct(&Frame::of_input(batch, &snapshot)).unwrap();
        assert_eq!(built.batch.num_rows(), batch.num_rows() - bad.len());
        assert_eq!(built.partial_output.num_rows(), bad.len());
        let groups = built
            .groups()
            .unwrap_or_else(|| vec![RowGroup::Kept as u32; batch.num_rows()]);
        for (row, group) in groups.iter().enumerate() {
            assert_eq!(*group == RowGroup::Failed as u32, bad.contains(&row));
        }
        for (failure, row) in built.failures.iter().zip(bad) {
            let site = &failure.site;
            assert_eq!((failure.row as usize, site.code), (*row, ErrorCode::Evaluation));
            assert_eq!(
                (site.operation, site.operation_index),
                (Operation::Construct, Some(0))
            );
            assert_eq!(site.fields, ["f"]);
            assert_eq!(
                failure.message(),
                format!("{}: {}", case.operation, case.fault.message())
            );
        }
        assert_eq!(built.partial_output.column(0).null_count(), 0);
        assert_eq!(built.partial_output.column(1).null_count(), bad.len());
        let copied = start(built.batch.column(0)) != start(batch.column(0));
        assert_eq!(
            copied,
            !bad.is_empty(),
            "a column is copied only when rows leave it"
        );
    });
}

fn start(array: &ArrayRef) -> *const u8 {
    array.to_data().buffers()[0].as_ptr()
}
