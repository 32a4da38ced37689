//! Methods and targets, judged record by record.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::buffer::BooleanBuffer;
use nspl_model::http::Origin;
use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{DataType, Expr, Function};

use super::{RequestFields, Requests};
use crate::program::testing::{batch, call, input, int, snapshot, text};
use crate::{CompileError, Frame};

fn origin() -> Origin {
    Origin::read("https://api.example.com:8443").unwrap()
}

fn requests(method: &Expr, path: &Expr, has_body: bool, among: Option<&BooleanBuffer>) -> Requests {
    let source = batch(vec![
        Arc::new(StringArray::from(vec!["POST", "get", "a b", "PUT", "TRACE"])) as ArrayRef,
        Arc::new(StringArray::from(vec![
            "/a/../b?x=%2F&x=+",
            "/",
            "/",
            "//c",
            "/%zz",
        ])),
    ]);
    let snapshot = snapshot();
    let fields = RequestFields::compile(method, path, origin(), has_body).unwrap();
    fields.evaluate(&Frame::of_input(&source, &snapshot), among)
}

#[test]
fn each_record_has_its_method_as_written_and_its_target_in_normal_form() {
    let (method, path) = (input(0, DataType::String), input(1, DataType::String));
    let asked = requests(&method, &path, false, None);
    assert_eq!(asked.row(0), Some(("POST", "/b?x=%2F&x=+")));
    assert_eq!(asked.row(1), Some(("get", "/")));
    let failed: Vec<_> = asked
        .failures
        .iter()
        .map(|failure| (failure.row, failure.site.fields.join(","), failure.message()))
        .collect();
    let method_text = "a method is a token of ASCII letters, digits and !#$%&'*+-.^_`|~";
    let said = |row, fields: &str, text: &str| (row, fields.to_owned(), text.to_owned());
    assert_eq!(
        failed,
        [
            said(2, "f0,method", method_text),
            said(3, "f1,path", "a path begins with exactly one '/'"),
            // The method is looked at before the path, which is wrong too.
            said(4, "f0,method", "CONNECT and TRACE are unavailable"),
        ]
    );
    for failure in &asked.failures {
        assert_eq!(
            (failure.site.code, failure.site.operation),
            (ErrorCode::Validation, Operation::Publish)
        );
        assert_eq!(failure.site.operation_index, None);
        assert_eq!(asked.row(failure.row as usize), None);
    }
}

#[test]
fn a_method_without_body_is_refused_beside_a_codec() {
    let asked = requests(&input(0, DataType::String), &text("/"), true, None);
    assert_eq!(asked.failures[0].row, 1);
    assert_eq!(asked.failures[0].message(), "GET and HEAD carry no body");
    let left = BooleanBuffer::from(vec![true, false, false, true, false]);
    let asked = requests(&input(0, DataType::String), &text("/%2e%2e/x"), true, Some(&left));
    assert!(asked.failures.is_empty());
    assert_eq!((asked.row(3), asked.row(1)), (Some(("PUT", "/x")), None));
}

#[test]
fn an_expression_that_fails_keeps_its_code() {
    let cut = call(Function::Left, vec![input(1, DataType::String), int(-1)]);
    let asked = requests(&text("DELETE"), &cut, false, None);
    assert_eq!(asked.failures.len(), 5);
    let site = &asked.failures[0].site;
    assert_eq!(
        (site.code, site.operation),
        (ErrorCode::Evaluation, Operation::Publish)
    );
    assert_eq!(site.fields, ["f1", "path"]);
}

#[test]
fn what_is_no_text_is_refused_when_compiled() {
    let refused = RequestFields::compile(&int(1), &text("/"), origin(), false);
    assert!(matches!(refused, Err(CompileError::Type { .. })));
}
