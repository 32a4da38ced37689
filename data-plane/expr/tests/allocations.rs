//! No function, cast or reading of JSON allocates for each row: what a column takes is a few buffers that grow.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Frame, Program};
use nspl_model::{
    CastError, DataType, Expr, ExprKind, FieldRef, Function, JsonPath, Literal, Parameter, ResultType, Scope,
};

const FEW: usize = 1_024;
const MANY: usize = 16 * FEW;

/// How many allocations more the larger batch may take: buffers that double on their way to sixteen times the size.
const GROWTH_MAX: u64 = 16;

/// Texts of both kinds: in ASCII, and with characters of up to four bytes.
const TEXTS: [&str; 2] = ["Name-77 b", "Näme-7🦀 b"];

fn node(data_type: DataType, kind: ExprKind) -> Expr {
    Expr {
        data_type,
        nullable: false,
        sensitive: false,
        kind,
    }
}

fn field(data_type: DataType, index: usize) -> Expr {
    let field = FieldRef {
        scope: Scope::Input,
        name: format!("f{index}"),
        index,
    };
    node(data_type, ExprKind::Field(field))
}

fn text(value: &str) -> Expr {
    node(
        DataType::String,
        ExprKind::Literal(Literal::String(value.to_owned())),
    )
}

const SUBJECT: usize = 0;
const NUMBER: usize = 1;
const REAL: usize = 2;
const DOCUMENT: usize = 3;
const DIGITS: usize = 4;
const INSTANT: usize = 5;

fn batch(rows: usize, subject: &str) -> RecordBatch {
    let texts = |value: &str| -> ArrayRef { Arc::new(StringArray::from(vec![value; rows])) };
    let columns: Vec<ArrayRef> = vec![
        texts(subject),
        Arc::new(Int64Array::from(vec![2; rows])),
        Arc::new(Float64Array::from(vec![0.5; rows])),
        texts("{\"a\": [1, \"text\"], \"b\": 1.5}"),
        texts("12"),
        texts("2026-01-01T00:00:00.5Z"),
    ];
    let named = columns
        .into_iter()
        .enumerate()
        .map(|(index, column)| (format!("f{index}"), column));
    RecordBatch::try_from_iter(named).unwrap()
}

/// The call of a function on columns that it takes without a fault; a pattern and a replacement are constant.
fn call(function: Function, count: usize) -> Expr {
    let signature = function.signature();
    let arg = |index: usize| match (function, index) {
        (Function::RegexpLike | Function::RegexpReplace | Function::RegexpSubstr, 1) => {
            text("([a-z]+)-([0-9])")
        }
        (Function::RegexpReplace, 2) => text("<$2${1}$$>"),
        (Function::Translate, 1) => text("aäm"),
        (Function::Translate, 2) => text("xy"),
        _ => match signature.parameter(index).unwrap() {
            Parameter::Count | Parameter::Integer => field(DataType::I64, NUMBER),
            Parameter::Numeric => field(DataType::F64, REAL),
            _ => field(DataType::String, SUBJECT),
        },
    };
    let args: Vec<Expr> = (0..count).map(arg).collect();
    let result = match signature.result {
        ResultType::Bool => DataType::Bool,
        ResultType::String => DataType::String,
        ResultType::I64 => DataType::I64,
        ResultType::F64 => DataType::F64,
        ResultType::DateTime => DataType::DateTime,
        ResultType::First => args[0].data_type.clone(),
    };
    let kind = ExprKind::Call {
        function,
        args,
        site: 1,
    };
    node(result, kind)
}

fn calls() -> impl Iterator<Item = (String, Expr)> {
    Function::all().flat_map(|function| {
        let signature = function.signature();
        let most = signature.parameters.len() + usize::from(signature.variadic);
        (signature.required..=most.max(signature.required))
            .map(move |count| (format!("{} of {count}", function.name()), call(function, count)))
    })
}

fn casts() -> Vec<(String, Expr)> {
    let of = [
        (DataType::I64, NUMBER, DataType::String),
        (DataType::I64, NUMBER, DataType::F64),
        (DataType::I64, NUMBER, DataType::I8),
        (DataType::F64, REAL, DataType::String),
        (DataType::F64, REAL, DataType::F32),
        (DataType::String, DIGITS, DataType::U16),
        (DataType::String, DIGITS, DataType::F64),
        (DataType::String, INSTANT, DataType::DateTime),
        (DataType::String, SUBJECT, DataType::Bytes),
    ];
    let cast = |(from, index, to): (DataType, usize, DataType)| {
        let kind = ExprKind::Cast {
            operand: Box::new(field(from.clone(), index)),
            on_error: CastError::Fail,
        };
        (format!("{from} AS {to}"), node(to, kind))
    };
    of.into_iter().map(cast).collect()
}

fn documents() -> Vec<(String, Expr)> {
    let of = [
        ("$.a[0]", DataType::I64),
        ("$.b", DataType::F64),
        ("$.a[1]", DataType::String),
    ];
    let read = |(path, to): (&str, DataType)| {
        let kind = ExprKind::JsonValue {
            document: Box::new(field(DataType::String, DOCUMENT)),
            path: JsonPath::parse(path).unwrap(),
            on_error: CastError::Fail,
        };
        (format!("JSON_VALUE {path} AS {to}"), node(to, kind))
    };
    of.into_iter().map(read).collect()
}

/// Allocations of one evaluation, after one that has filled what is kept between them.
fn allocations(name: &str, program: &Program, batch: &RecordBatch) -> u64 {
    let snapshot = Snapshot {
        domain_time: DomainTime(0),
        seed: [0; 32],
    };
    let frame = Frame::of_input(batch, &snapshot);
    let first = program.evaluate(&frame);
    assert!(
        first.errors.is_empty(),
        "{name}: {:?}",
        first.errors.iter().next()
    );
    allocation_counter::measure(|| drop(program.evaluate(&frame))).count_total
}

#[test]
fn sixteen_times_the_rows_take_hardly_more_allocations() {
    let (mut bad, mut counted) = (Vec::new(), 0);
    for subject in TEXTS {
        let (few, many) = (batch(FEW, subject), batch(MANY, subject));
        for (name, expr) in calls().chain(casts()).chain(documents()) {
            let program = Program::compile(&expr).unwrap();
            let (few, many) = (
                allocations(&name, &program, &few),
                allocations(&name, &program, &many),
            );
            counted += many;
            if many > few + GROWTH_MAX {
                bad.push(format!("{name} of {subject:?}: {few}, then {many}"));
            }
        }
    }
    assert!(counted > 0, "allocations are counted");
    assert!(bad.is_empty(), "{bad:#?}");
}
