//! Failures as columns.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{TimestampNanosecondType, UInt32Type};
use nervix_clock::{DomainTime, Snapshot};
use nspl_model::DataType;
use nspl_model::record_error::{ErrorCode, Operation};
use std::sync::Arc;

use super::{error_records, error_reference};
use crate::program::testing::{binary, input, int};
use crate::{Failure, FailureSite, MESSAGE_CHARS_MAX};

fn at(domain_time: i64) -> Snapshot {
    Snapshot {
        domain_time: DomainTime(domain_time),
        seed: [0; 32],
    }
}

#[test]
fn references_are_uuids_of_version_7_at_the_time_of_the_snapshot_and_differ() {
    let snapshot = at(1_700_000_000_000_000_000);
    let (one, other) = (error_reference(&snapshot), error_reference(&snapshot));
    assert_ne!(one, other);
    assert_eq!(uuid::Uuid::parse_str(&one).unwrap().get_version_num(), 7);
    assert!(one.starts_with("018bcfe5-6800"));
}

#[test]
fn a_failure_becomes_the_columns_of_the_error_scope() {
    let expr = binary(
        nspl_model::BinaryOp::Divide,
        input(1, DataType::I64),
        input(0, DataType::I64),
    );
    let expr = binary(nspl_model::BinaryOp::Add, expr, input(1, DataType::I64));
    let evaluated = FailureSite::of_expression(Operation::Construct, Some(2), &expr);
    let published = Arc::new(FailureSite {
        code: ErrorCode::External,
        operation: Operation::Publish,
        operation_index: None,
        fields: vec![],
    });
    let failures = [
        Failure::new(3, evaluated, "division by zero"),
        Failure::new(9, published, "bad-customer".to_owned()),
    ];
    let records = error_records(failures.iter().zip(["r1", "r2"]), &at(5)).unwrap();
    assert_eq!(records.num_rows(), 2);
    let text = |column: usize, row: usize| records.column(column).as_string::<i32>().value(row).to_owned();
    assert_eq!((text(0, 0), text(0, 1)), ("r1".into(), "r2".into()));
    assert_eq!((text(1, 0), text(1, 1)), ("evaluation".into(), "external".into()));
    assert_eq!((text(2, 0), text(2, 1)), ("construct".into(), "publish".into()));
    assert_eq!(records.column(3).as_primitive::<UInt32Type>().value(0), 2);
    assert!(records.column(3).is_null(1));
    let fields = records.column(4).as_list::<i32>();
    let fields_of = |row: usize| -> Vec<String> {
        fields
            .value(row)
            .as_string::<i32>()
            .iter()
            .flatten()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        (fields_of(0), fields_of(1)),
        (vec!["f0".to_owned(), "f1".to_owned()], vec![])
    );
    assert_eq!(
        records
            .column(5)
            .as_primitive::<TimestampNanosecondType>()
            .value(1),
        5
    );
    assert_eq!(
        (text(6, 0), text(6, 1)),
        ("division by zero".into(), "bad-customer".into())
    );
    let none: [(&Failure, &str); 0] = [];
    assert_eq!(error_records(none, &at(5)).unwrap().num_rows(), 0);
}

#[test]
fn a_long_message_is_cut_between_characters() {
    let site = FailureSite::of_expression(Operation::Filter, None, &int(1));
    let failure = Failure::new(0, site, "🦀".repeat(1000));
    assert_eq!(failure.message().chars().count(), MESSAGE_CHARS_MAX);
}
