//! Headers are staged whole or not at all.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow::buffer::BooleanBuffer;
use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{BinaryOp, DataType, Expr, Function, HeaderForm, HeaderRule, HeaderWrite, Literal, Scope};

use super::{Envelopes, Headers};
use crate::program::testing::{batch, binary, call, cast, column, input, int, literal, snapshot, text};
use crate::{CompileError, Frame, RelayState};

fn write(name: Expr, value: Expr) -> HeaderWrite {
    HeaderWrite { name, value }
}

fn source() -> RecordBatch {
    batch(vec![
        Arc::new(StringArray::from(vec!["a", "", " b", "é"])) as ArrayRef,
        Arc::new(Int64Array::from(vec![1, 0, 3, 4])),
    ])
}

/// `(12 / f1) AS STRING`: fails in row 1.
fn ratio() -> Expr {
    cast(
        binary(BinaryOp::Divide, int(12), input(1, DataType::I64)),
        DataType::String,
    )
}

fn stage(writes: &[HeaderWrite], rule: HeaderRule, form: HeaderForm) -> Envelopes {
    let (source, snapshot) = (source(), snapshot());
    let headers = Headers::compile(writes, rule, form).unwrap();
    headers.stage(&Frame::of_input(&source, &snapshot), None)
}

#[test]
fn every_write_stands_in_written_order_where_repeated_values_are_kept() {
    let writes = [
        write(text("k"), input(0, DataType::String)),
        write(text("n"), text("")),
        write(text("k"), ratio()),
    ];
    let staged = stage(&writes, HeaderRule::Repeated, HeaderForm::Text);
    assert_eq!(staged.row(0).unwrap(), [("k", "a"), ("n", ""), ("k", "12")]);
    assert_eq!(staged.row(1), None, "a failed record has none of its headers");
    assert_eq!(staged.row(3).unwrap()[2], ("k", "3"));
    assert_eq!(
        staged.kept.unwrap(),
        BooleanBuffer::from(vec![true, false, true, true])
    );
    let [failure] = staged.failures.as_slice() else {
        panic!("one row fails")
    };
    assert_eq!((failure.row, failure.site.code), (1, ErrorCode::Evaluation));
    assert_eq!(
        (failure.site.operation, failure.site.operation_index),
        (Operation::Invoke, Some(2))
    );
    assert_eq!(failure.site.fields, ["f1"]);
    assert_eq!(failure.message(), "/: division by zero");
}

#[test]
fn the_last_write_of_a_name_wins_at_the_place_of_the_first() {
    let writes = [
        write(text("K"), text("1")),
        write(text("x"), text("2")),
        write(text("k"), text("3")),
    ];
    let of = |form| stage(&writes, HeaderRule::LastWins, form);
    assert_eq!(
        of(HeaderForm::HttpField).row(0).unwrap(),
        [("K", "3"), ("x", "2")]
    );
    assert!(of(HeaderForm::HttpField).kept.is_none());
    assert_eq!(
        of(HeaderForm::Text).row(3).unwrap().len(),
        3,
        "names of messages have a case"
    );
    let again = [write(text("k"), text("1")), write(text("k"), text("2"))];
    let staged = stage(&again, HeaderRule::LastWins, HeaderForm::SqsAttribute);
    assert_eq!(staged.row(2).unwrap(), [("k", "2")]);
}

#[test]
fn what_the_destination_refuses_rejects_its_record_though_a_later_write_would_replace_it() {
    let writes = [
        write(text("X-Value"), input(0, DataType::String)),
        write(text("X-Value"), text("fine")),
        write(
            call(Function::Concat, vec![text("h"), input(0, DataType::String)]),
            text("v"),
        ),
    ];
    let staged = stage(&writes, HeaderRule::LastWins, HeaderForm::HttpField);
    let failed: Vec<_> = staged
        .failures
        .iter()
        .map(|failure| (failure.row, failure.site.code, failure.site.operation_index))
        .collect();
    assert_eq!(
        failed,
        [
            (2, ErrorCode::Validation, Some(0)),
            (3, ErrorCode::Validation, Some(2))
        ]
    );
    assert_eq!(
        staged.failures[0].message(),
        "a header's value neither begins nor ends with a blank"
    );
    assert!(!staged.failures[1].message().contains('é'));
    assert_eq!(
        staged.row(1).unwrap(),
        [("X-Value", "fine"), ("h", "v")],
        "an empty value is sent"
    );

    let empty = stage(&writes[..1], HeaderRule::LastWins, HeaderForm::SqsAttribute);
    assert_eq!((empty.failures.len(), empty.failures[0].row), (1, 1));
}

#[test]
fn the_fields_of_a_failed_write_are_those_of_its_name_and_its_value_sorted_and_each_once() {
    let number = || cast(input(1, DataType::I64), DataType::String);
    let name = || call(Function::Concat, vec![text("h"), number()]);
    let begins = || input(0, DataType::String);
    let both = call(Function::Concat, vec![begins(), number()]);
    for value in [begins(), both] {
        let staged = stage(
            &[write(name(), value)],
            HeaderRule::LastWins,
            HeaderForm::HttpField,
        );
        assert_eq!(staged.row(0).unwrap()[0].0, "h1");
        let failed = staged.failures.iter().find(|failure| failure.row == 2);
        let failed = failed.expect("a value begins with a blank");
        assert_eq!(failed.site.fields, ["f0", "f1"]);
    }
}

#[test]
fn the_write_that_crosses_a_bound_is_named() {
    let mut writes: Vec<HeaderWrite> = (0..10)
        .map(|index| write(text(&format!("h{index}")), text("v")))
        .collect();
    writes.push(write(
        call(
            Function::Concat,
            vec![text("h"), cast(input(1, DataType::I64), DataType::String)],
        ),
        text("w"),
    ));
    let staged = stage(&writes, HeaderRule::LastWins, HeaderForm::SqsAttribute);
    assert!(
        staged.failures.is_empty(),
        "the eleventh write replaces one of the ten"
    );
    assert_eq!(staged.row(2).unwrap()[3], ("h3", "w"));
    writes.push(write(text("more"), text("v")));
    let staged = stage(&writes, HeaderRule::LastWins, HeaderForm::SqsAttribute);
    assert_eq!(staged.failures.len(), 4);
    assert_eq!(staged.failures[0].site.operation_index, Some(11));
    assert_eq!(
        staged.failures[0].message(),
        "it is one more than the 10 headers of a record"
    );

    let long = call(Function::Repeat, vec![text("x"), int(20_000)]);
    let writes = [
        write(text("a"), long.clone()),
        write(text("A"), long.clone()),
        write(text("b"), input(0, DataType::String)),
        write(text("b"), long),
    ];
    let two = stage(&writes[..2], HeaderRule::LastWins, HeaderForm::HttpField);
    assert!(two.failures.is_empty(), "a replaced value does not count");
    let all = stage(&writes, HeaderRule::LastWins, HeaderForm::HttpField);
    let rows: Vec<_> = all
        .failures
        .iter()
        .map(|failure| (failure.row, failure.site.operation_index, failure.site.code))
        .collect();
    let crossed = |row| (row, Some(3), ErrorCode::Validation);
    assert_eq!(
        rows,
        [
            crossed(0),
            crossed(1),
            (2, Some(2), ErrorCode::Validation),
            crossed(3)
        ]
    );
}

#[test]
fn only_the_rows_that_are_left_are_looked_at() {
    let (source, snapshot) = (source(), snapshot());
    let headers = Headers::compile(
        &[write(text("r"), ratio())],
        HeaderRule::Repeated,
        HeaderForm::Text,
    )
    .unwrap();
    let left = BooleanBuffer::from(vec![true, false, false, true]);
    let staged = headers.stage(&Frame::of_input(&source, &snapshot), Some(&left));
    assert!(staged.failures.is_empty());
    assert_eq!((staged.row(0).unwrap(), staged.row(2)), (vec![("r", "12")], None));
    let none = Headers::compile(&[], HeaderRule::Refused, HeaderForm::Text).unwrap();
    let staged = none.stage(&Frame::of_input(&source, &snapshot), None);
    assert_eq!(staged.row(0), Some(vec![]));
}

#[test]
fn names_and_values_read_the_finished_record_its_source_row_and_states() {
    let (source, snapshot) = (source().slice(2, 2), snapshot());
    let output: Vec<Option<ArrayRef>> = vec![Some(Arc::new(StringArray::from(vec!["o1", "o2"])))];
    let rates = batch(vec![Arc::new(StringArray::from(vec!["s"])) as ArrayRef]);
    let states = [RelayState {
        relay: "rates",
        record: &rates,
    }];
    let state = Scope::RelayState {
        relay: "rates".into(),
    };
    let writes = [
        write(
            column(Scope::Output, 0, DataType::String),
            input(0, DataType::String),
        ),
        write(column(state, 0, DataType::String), call(Function::UuidV4, vec![])),
    ];
    let headers = Headers::compile(&writes, HeaderRule::Repeated, HeaderForm::Text).unwrap();
    let frame = Frame::of_input(&source, &snapshot)
        .with_output(&output)
        .with_relay_state(&states);
    let staged = headers.stage(&frame, None);
    let rows = [staged.row(0).unwrap(), staged.row(1).unwrap()];
    assert_eq!(rows[0][0], ("o1", " b"));
    assert_eq!((rows[1][0], rows[1][1].0), (("o2", "é"), "s"));
    assert_ne!(rows[0][1].1, rows[1][1].1);
    let again = headers.stage(&frame, None);
    assert_eq!(again.row(0).unwrap(), rows[0], "the snapshot fixes every value");
}

#[test]
fn what_cannot_be_written_is_refused_when_compiled_and_a_null_is_never_sent() {
    let writes = [write(text("a"), int(1))];
    let refused = Headers::compile(&writes, HeaderRule::Repeated, HeaderForm::Text);
    assert!(matches!(refused, Err(CompileError::Type { .. })));
    let writes = [write(text("a"), text("b"))];
    let refused = Headers::compile(&writes, HeaderRule::Refused, HeaderForm::Text);
    assert!(matches!(
        refused,
        Err(CompileError::Unsupported {
            operation: "write_header"
        })
    ));
    let null = literal(DataType::String, Literal::Null);
    let staged = stage(&[write(text("a"), null)], HeaderRule::Repeated, HeaderForm::Text);
    assert_eq!((staged.row(0), staged.failures.len()), (None, 4));
}
