//! Columns against a slow evaluator that goes row by row: random expressions over random batches give the same
//! values, the same nulls and the same faults.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "reference/dice.rs"]
mod dice;
#[path = "reference/generator.rs"]
mod generator;
#[path = "reference/slow.rs"]
mod slow;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float64Type, Int8Type, Int64Type};
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Frame, Program};
use nspl_model::DataType;
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};

use dice::Dice;
use slow::{Answer, Value};

fn value(array: &ArrayRef, data_type: &DataType, row: usize) -> Option<Value> {
    array.is_valid(row).then(|| match data_type {
        DataType::I8 => Value::I8(array.as_primitive::<Int8Type>().value(row)),
        DataType::I64 => Value::I64(array.as_primitive::<Int64Type>().value(row)),
        DataType::F64 => Value::F64(array.as_primitive::<Float64Type>().value(row)),
        DataType::Bool => Value::Bool(array.as_boolean().value(row)),
        DataType::String => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        other => panic!("{other} is not among the random types"),
    })
}

/// What can be compared: NaN is a word, and zeros keep their sign.
fn shown(answer: &Answer) -> String {
    match answer {
        Err(fault) => format!("<{fault:?}>"),
        Ok(None) => "null".into(),
        Ok(Some(value)) => format!("{value:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn columns_give_what_rows_give(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let batch = generator::batch(&mut dice);
        let expr = generator::expression(&mut dice);
        let snapshot = Snapshot { domain_time: DomainTime(0), seed: [0; 32] };
        let evaluated = Program::compile(&expr).unwrap().evaluate(&Frame::of_input(&batch, &snapshot));
        for row in 0..batch.num_rows() {
            let read = |index: usize| value(batch.column(index), &generator::COLUMNS[index], row);
            let wanted = slow::evaluate(&expr, &read);
            let found = match evaluated.errors.at(row as u32) {
                Some(error) => Err(error.fault),
                None => Ok(value(&evaluated.array, &expr.data_type, row)),
            };
            prop_assert_eq!(shown(&found), shown(&wanted), "row {} of {:#?}", row, &expr);
        }
    }
}
