//! Batches of which no row has a value: columns of nulls, and failures in every row.

use nspl_model::{DataType, Function, Literal};

use crate::table::{batch, expression, results};
use crate::values;

#[test]
fn nulls_everywhere_are_null_and_no_error() {
    let types = values::types();
    for of in &types {
        let rows = vec![Literal::Null; 3];
        let nulls = batch(of, &rows, &values::edges(of)[0]);
        let hold = |text: &str, to: &str, wanted: &str| {
            let found = results(&expression(&of.to_string(), text, to), &nulls);
            assert_eq!(found, [wanted; 3], "{text} of {of}");
        };
        hold("v", &of.to_string(), "null");
        hold("is_null(v)", "BOOL", "true");
        hold("coalesce(v, v)", &of.to_string(), "null");
        hold("leak_sensitive(v)", &of.to_string(), "null");
        hold("IF is_null(v) THEN v ELSE v END", &of.to_string(), "null");
        if of.is_comparable() {
            hold("v = v", "BOOL", "null");
            hold("nullif(v, v)", &of.to_string(), "null");
            hold(
                "CASE v WHEN v THEN 'same' ELSE 'other' END",
                "STRING",
                "\"other\"",
            );
            hold("v AS STRING", "STRING", "null");
            hold("TRY_CAST(v AS STRING)", "STRING", "null");
        }
        if of.is_numeric() {
            for text in ["v + v", "v - v", "v * v", "v / v", "v % v", "abs(v)", "round(v)"] {
                hold(text, &of.to_string(), "null");
            }
        }
        if *of == DataType::Bool {
            for (text, wanted) in [
                ("NOT v", "null"),
                ("v AND v", "null"),
                ("v OR v", "null"),
                ("v AND FALSE", "false"),
                ("v OR TRUE", "true"),
            ] {
                hold(text, "BOOL", wanted);
            }
        }
    }
}

#[test]
fn a_null_argument_makes_every_function_of_text_null_but_concat() {
    let nulls = batch(
        &DataType::String,
        &vec![Literal::Null; 3],
        &Literal::String("a".into()),
    );
    let calls = Function::all().filter(|function| {
        let parameters = function.signature().parameters;
        parameters.first() == Some(&nspl_model::Parameter::String) && !function.is_volatile()
    });
    let mut tried = 0;
    for function in calls {
        let required = function.signature().required;
        let more = (1..required).map(|index| match function.signature().parameter(index) {
            Some(nspl_model::Parameter::Count) => ", 1",
            _ => ", 'a'",
        });
        let text = format!("{}(v{})", function.name(), more.collect::<String>());
        let to = match function.signature().result {
            nspl_model::ResultType::Bool => "BOOL",
            nspl_model::ResultType::I64 => "I64",
            _ => "STRING",
        };
        let wanted = if function == Function::Concat {
            "\"\""
        } else {
            "null"
        };
        assert_eq!(
            results(&expression("STRING", &text, to), &nulls),
            [wanted; 3],
            "{text}"
        );
        tried += 1;
    }
    assert!(tried > 25, "{tried}");
}

#[test]
fn all_rows_of_a_batch_may_fail() {
    let values = vec![Literal::I64(0); 70];
    let failing = batch(&DataType::I64, &values, &Literal::I64(1));
    let found = results(&expression("I64", "1 / v", "I64"), &failing);
    assert_eq!(found, vec!["<DivisionByZero>"; 70]);
    assert_eq!(
        results(&expression("I64", "1 / v", "I64"), &failing.slice(69, 1)),
        ["<DivisionByZero>"]
    );
}
