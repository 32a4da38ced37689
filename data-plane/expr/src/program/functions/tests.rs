//! The examples of the reference, and what no example shows.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::{concat, take};
use nspl_model::{BinaryOp, DataType, Expr, Function, Literal};

use super::reference::{Entry, Example, Sample, reference};
use crate::Fault;
use crate::program::literal::literal_array;
use crate::program::testing::{
    batch, binary, boolean, call, call_at, case, cast, evaluate, failed, input, int, literal, null, one,
    real, rows, text, word, words,
};

fn argument(sample: Sample) -> Expr {
    match sample {
        Sample::Text(value) => text(value),
        Sample::I64(value) => int(value),
        Sample::I8(value) => literal(DataType::I8, Literal::I8(value)),
        Sample::U64(value) => literal(DataType::U64, Literal::U64(value)),
        Sample::F64(value) => real(value),
        Sample::Bool(value) => boolean(value),
        Sample::NullText => null(DataType::String),
        Sample::NullI64 => null(DataType::I64),
        Sample::NullF64 => null(DataType::F64),
        Sample::Fails(_) => panic!("a failure is no argument"),
    }
}

fn array_of(expr: &Expr) -> ArrayRef {
    literal_array(expr.as_literal().unwrap(), &expr.data_type).unwrap()
}

fn expected(sample: Sample) -> String {
    match sample {
        Sample::Fails(fault) => failed(fault),
        value => word(&array_of(&argument(value)), 0),
    }
}

/// Runs an example with constants, with columns, and with each argument alone as a column.
fn check(entry: &Entry, example: &Example) {
    let args: Vec<Expr> = example.args.iter().copied().map(argument).collect();
    let wanted = expected(example.result);
    let name = entry.function.name();
    assert_eq!(
        one(&call(entry.function, args.clone())),
        wanted,
        "{name} of constants"
    );
    let columns: Vec<ArrayRef> = args
        .iter()
        .map(|arg| {
            let null = array_of(&null(arg.data_type.clone()));
            let both = concat(&[null.as_ref(), array_of(arg).as_ref()]).unwrap();
            take(both.as_ref(), &UInt32Array::from(vec![0, 1, 1, 1, 0]), None).unwrap()
        })
        .collect();
    let sliced = batch(columns).slice(1, 3);
    let column = |index: usize| input(index, args[index].data_type.clone());
    let all = call(entry.function, (0..args.len()).map(column).collect());
    assert_eq!(rows(&all, &sliced), [wanted.as_str(); 3], "{name} of columns");
    for alone in 0..args.len() {
        let mixed = (0..args.len()).map(|index| {
            if index == alone {
                column(index)
            } else {
                args[index].clone()
            }
        });
        let mixed = call(entry.function, mixed.collect());
        assert_eq!(
            rows(&mixed, &sliced.slice(0, 1)),
            [wanted.as_str()],
            "{name} with column {alone}"
        );
    }
}

#[test]
fn every_example_of_the_reference_holds() {
    for entry in reference() {
        for example in entry.examples {
            check(entry, example);
        }
    }
}

#[test]
fn every_function_has_one_entry_with_a_summary_and_examples() {
    let entries: Vec<Function> = reference().map(|entry| entry.function).collect();
    let distinct: HashSet<_> = entries.iter().collect();
    assert_eq!(distinct.len(), entries.len(), "no function has two entries");
    for function in Function::all() {
        let entry = super::entry(function).unwrap_or_else(|| panic!("{} has no entry", function.name()));
        assert!(entry.summary.ends_with('.'), "{}", function.name());
        assert!(
            function.is_volatile() || entry.examples.len() >= 2,
            "{} needs examples",
            function.name()
        );
    }
}

#[test]
fn a_text_past_sixteen_mebibytes_is_an_error_of_its_record() {
    let half = text(&"x".repeat(8 << 20));
    assert_eq!(
        one(&call(
            Function::Length,
            vec![call(Function::Concat, vec![half.clone(), half.clone()])]
        )),
        "16777216"
    );
    let more = call(Function::Concat, vec![half.clone(), half, text("y")]);
    assert_eq!(one(&more), failed(Fault::TooLong));
}

#[test]
fn bytes_past_sixteen_mebibytes_are_no_text_though_shorter_ones_beside_them_are() {
    let long = vec![b'x'; (16 << 20) + 1];
    let bytes = arrow::array::BinaryArray::from(vec![b"a".as_slice(), &long]);
    let text = cast(input(0, DataType::Bytes), DataType::String);
    assert_eq!(
        rows(&text, &batch(vec![Arc::new(bytes)])),
        ["a".into(), failed(Fault::TooLong)]
    );
}

#[test]
fn a_replacement_that_grows_without_bound_is_too_long() {
    let grown = call(
        Function::RegexpReplace,
        vec![text(&"a".repeat(1 << 20)), text("a"), text(&"b".repeat(100))],
    );
    assert_eq!(one(&grown), failed(Fault::TooLong));
    let referring = call(
        Function::RegexpReplace,
        vec![text(&"a".repeat(1 << 20)), text("a+"), text(&"$0".repeat(100))],
    );
    assert_eq!(one(&referring), failed(Fault::TooLong));
    assert_eq!(
        one(&call(
            Function::RegexpLike,
            vec![text("a"), text("\\w{100}{100}{100}")]
        )),
        failed(Fault::Pattern)
    );
}

#[test]
fn an_arm_that_is_not_taken_costs_no_text() {
    // 60,000 rows of 1 MiB would not fit one column.
    let numbers: ArrayRef = Arc::new(arrow::array::Int64Array::from(vec![0; 60_000]));
    let grown = call(
        Function::Length,
        vec![call(
            Function::Repeat,
            vec![
                text("x"),
                binary(BinaryOp::Add, input(0, DataType::I64), int(1 << 20)),
            ],
        )],
    );
    let taken = case(
        None,
        vec![(binary(BinaryOp::Equal, input(0, DataType::I64), int(1)), grown)],
        Some(int(7)),
    );
    let evaluated = evaluate(&taken, &batch(vec![numbers]));
    assert!(evaluated.errors.is_empty());
    assert_eq!(words(&evaluated)[59_999], "7");
}

#[test]
fn patterns_may_differ_from_row_to_row() {
    let texts: ArrayRef = Arc::new(arrow::array::StringArray::from_iter_values(
        (0..100).map(|n| format!("n{n}")),
    ));
    let patterns: ArrayRef = Arc::new(arrow::array::StringArray::from_iter_values(
        (0..100).map(|n| format!("^n{n}$")),
    ));
    let like = call(
        Function::RegexpLike,
        vec![input(0, DataType::String), input(1, DataType::String)],
    );
    assert!(
        rows(&like, &batch(vec![texts, patterns]))
            .iter()
            .all(|row| row == "true")
    );
}

#[test]
fn each_volatile_call_has_its_own_value_in_each_row_and_the_same_one_again() {
    let five = batch(vec![
        Arc::new(arrow::array::Int64Array::from(vec![0; 5])) as ArrayRef
    ]);
    for function in [Function::UuidV4, Function::UuidV7] {
        let (first, second) = (call_at(function, vec![], 0), call_at(function, vec![], 1));
        let all: HashSet<String> = rows(&first, &five)
            .into_iter()
            .chain(rows(&second, &five))
            .collect();
        assert_eq!(all.len(), 10);
        assert_eq!(rows(&first, &five), rows(&first, &five));
        for id in &all {
            let id = uuid::Uuid::parse_str(id).unwrap();
            assert_eq!(
                id.get_version_num(),
                if function == Function::UuidV4 { 4 } else { 7 }
            );
        }
    }
    let ids = rows(&call(Function::UuidV7, vec![]), &five);
    let (seconds, nanos) = uuid::Uuid::parse_str(&ids[4])
        .unwrap()
        .get_timestamp()
        .unwrap()
        .to_unix();
    assert_eq!((seconds, nanos), (1_767_225_600, 123_000_000));
    assert_eq!(
        rows(&call(Function::Now, vec![]), &five),
        ["2026-01-01T00:00:00.123456789Z"; 5]
    );
    let same = binary(
        BinaryOp::Equal,
        call(Function::Now, vec![]),
        call(Function::Now, vec![]),
    );
    assert_eq!(rows(&same, &five), ["true"; 5]);
}
