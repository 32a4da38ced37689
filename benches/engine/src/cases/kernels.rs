//! The Arrow kernels, called by hand.

#![allow(
    clippy::unwrap_used,
    reason = "kernels that refuse their columns measure nothing"
)]

use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, RecordBatch, Scalar, StringArray,
};
use arrow::compute::kernels::zip::zip;
use arrow::compute::kernels::{cmp, comparison, numeric};
use arrow::compute::{and_kleene, cast, filter_record_batch, is_not_null};
use arrow::datatypes::DataType;

fn number(value: i64) -> Scalar<Int64Array> {
    Scalar::new(Int64Array::from(vec![value]))
}

fn real(value: f64) -> Scalar<Float64Array> {
    Scalar::new(Float64Array::from(vec![value]))
}

fn text(value: &str) -> Scalar<StringArray> {
    Scalar::new(StringArray::from(vec![value]))
}

fn one(column: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter([("c", column)]).unwrap()
}

fn truth(column: BooleanArray) -> RecordBatch {
    one(Arc::new(column))
}

fn n(batch: &RecordBatch) -> &ArrayRef {
    batch.column(0)
}

fn x(batch: &RecordBatch) -> &ArrayRef {
    batch.column(1)
}

fn t(batch: &RecordBatch) -> &ArrayRef {
    batch.column(2)
}

fn o(batch: &RecordBatch) -> &ArrayRef {
    batch.column(3)
}

pub(super) fn two_comparisons(batch: &RecordBatch) -> RecordBatch {
    let many = cmp::gt(n(batch), &number(500_000)).unwrap();
    let early = cmp::lt(x(batch), &real(0.5)).unwrap();
    truth(and_kleene(&many, &early).unwrap())
}

pub(super) fn comparison(batch: &RecordBatch) -> RecordBatch {
    truth(cmp::gt(n(batch), &number(500_000)).unwrap())
}

pub(super) fn equal_text(batch: &RecordBatch) -> RecordBatch {
    truth(cmp::eq(t(batch), &text("Name-77")).unwrap())
}

pub(super) fn contains(batch: &RecordBatch) -> RecordBatch {
    truth(comparison::contains(t(batch), &text("77")).unwrap())
}

pub(super) fn starts_with(batch: &RecordBatch) -> RecordBatch {
    truth(comparison::starts_with(t(batch), &text("Name-7")).unwrap())
}

pub(super) fn matches(batch: &RecordBatch) -> RecordBatch {
    let texts = t(batch).as_string::<i32>();
    truth(comparison::regexp_is_match_scalar(texts, "^N.*-7+$", None).unwrap())
}

pub(super) fn integers(batch: &RecordBatch) -> RecordBatch {
    let tripled = numeric::mul(n(batch), &number(3)).unwrap();
    one(numeric::add(&tripled, n(batch)).unwrap())
}

pub(super) fn nullable_sum(batch: &RecordBatch) -> RecordBatch {
    one(numeric::add(o(batch), n(batch)).unwrap())
}

pub(super) fn floats(batch: &RecordBatch) -> RecordBatch {
    let more = numeric::mul(x(batch), &real(2.5)).unwrap();
    one(numeric::sub(&more, x(batch)).unwrap())
}

pub(super) fn narrowed(batch: &RecordBatch) -> RecordBatch {
    one(cast(n(batch), &DataType::Int32).unwrap())
}

pub(super) fn digits(batch: &RecordBatch) -> RecordBatch {
    one(cast(n(batch), &DataType::Utf8).unwrap())
}

pub(super) fn coalesced(batch: &RecordBatch) -> RecordBatch {
    let there = is_not_null(o(batch)).unwrap();
    one(zip(&there, o(batch), n(batch)).unwrap())
}

pub(super) fn chosen(batch: &RecordBatch) -> RecordBatch {
    let early = cmp::lt(x(batch), &real(0.5)).unwrap();
    one(zip(&early, n(batch), &number(0)).unwrap())
}

pub(super) fn lower(batch: &RecordBatch) -> RecordBatch {
    let texts = t(batch).as_string::<i32>().iter();
    let lower: StringArray = texts.map(|text| text.map(str::to_lowercase)).collect();
    one(Arc::new(lower))
}

pub(super) fn filtered(batch: &RecordBatch) -> RecordBatch {
    let many = cmp::gt(n(batch), &number(750_000)).unwrap();
    filter_record_batch(batch, &many).unwrap()
}

pub(super) fn shared(batch: &RecordBatch) -> RecordBatch {
    RecordBatch::try_new(batch.schema(), batch.columns().to_vec()).unwrap()
}
