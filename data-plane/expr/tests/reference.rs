//! Columns against a slow evaluator that goes row by row: random expressions over random batches give the same
//! values, the same nulls and the same faults.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "reference/dice.rs"]
mod dice;
#[path = "reference/documents.rs"]
mod documents;
#[path = "reference/generator.rs"]
mod generator;
#[path = "reference/slow.rs"]
mod slow;
#[path = "reference/values.rs"]
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float32Type, Float64Type, TimestampNanosecondType};
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Entry, Fault, Frame, Program, Sample, reference};
use nspl_model::{DataType, Expr, ExprKind};
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};

use dice::Dice;
use slow::{Answer, Row, Value};

/// Expressions that are generated to count what is met; the rarest thing is met in one of a few thousand.
const COUNTED: u64 = 30_000;

fn value(array: &ArrayRef, of: &DataType, row: usize) -> Option<Value> {
    array.is_valid(row).then(|| match of {
        DataType::Bool => Value::Bool(array.as_boolean().value(row)),
        DataType::F32 => Value::F32(array.as_primitive::<Float32Type>().value(row)),
        DataType::F64 => Value::F64(array.as_primitive::<Float64Type>().value(row)),
        DataType::String => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::Bytes => Value::Bytes(array.as_binary::<i32>().value(row).to_owned()),
        DataType::DateTime => Value::Time(array.as_primitive::<TimestampNanosecondType>().value(row)),
        DataType::Vec(_) => list(&array.as_list::<i32>().value(row), of),
        DataType::Array(..) => list(&array.as_fixed_size_list().value(row), of),
        integer => {
            let text = arrow::util::display::array_value_to_string(array, row).unwrap();
            assert!(integer.is_integer());
            Value::Int(text.parse().unwrap())
        }
    })
}

fn list(items: &ArrayRef, of: &DataType) -> Value {
    let element = of.element().unwrap();
    Value::List(
        (0..items.len())
            .map(|row| value(items, &element, row).unwrap())
            .collect(),
    )
}

/// What can be compared: NaN is a word, and zeros keep their sign.
fn shown(answer: &Answer) -> String {
    match answer {
        Err(fault) => format!("<{fault:?}>"),
        Ok(None) => "null".into(),
        Ok(Some(value)) => format!("{value:?}"),
    }
}

/// The faults that the reference of functions shows of each.
fn shown_faults() -> &'static HashMap<&'static str, HashSet<Fault>> {
    static SHOWN: OnceLock<HashMap<&'static str, HashSet<Fault>>> = OnceLock::new();
    SHOWN.get_or_init(|| reference().map(faults_of).collect())
}

fn faults_of(entry: &Entry) -> (&'static str, HashSet<Fault>) {
    let results = entry.examples.iter().map(|example| example.result);
    let faults = results.filter_map(|result| match result {
        Sample::Fails(fault) => Some(fault),
        _ => None,
    });
    (entry.function.name(), faults.collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2500) })]

    #[test]
    fn columns_give_what_rows_give(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let batch = generator::batch(&mut dice);
        let expr = generator::expression(&mut dice);
        let snapshot = Snapshot { domain_time: DomainTime(-1_000_000_001), seed: [3; 32] };
        let evaluated = Program::compile(&expr).unwrap().evaluate(&Frame::of_input(&batch, &snapshot));
        let columns = generator::columns();
        for row in 0..batch.num_rows() {
            let read = |index: usize| value(batch.column(index), &columns[index], row);
            let wanted = slow::evaluate(&expr, &Row { read: &read, snapshot: &snapshot });
            let found = match evaluated.errors.at(row as u32) {
                Some(error) => Err(error.fault),
                None => Ok(value(&evaluated.array, &expr.data_type, row)),
            };
            prop_assert_eq!(shown(&found), shown(&wanted), "row {} of {:#?}", row, &expr);
        }
        for (_, error) in evaluated.errors.iter() {
            if let Some(faults) = shown_faults().get(error.operation) {
                assert!(faults.contains(&error.fault), "no example shows {error}");
            }
        }
    }
}

fn count(expr: &Expr, met: &mut BTreeMap<String, usize>) {
    for word in generator::met(expr) {
        *met.entry(word).or_default() += 1;
    }
    if let ExprKind::JsonValue { .. } | ExprKind::JsonExists { .. } = &expr.kind {
        return;
    }
    for child in expr.children() {
        count(child, met);
    }
}

#[test]
fn the_generator_meets_every_function_cast_operator_type_and_value() {
    let mut met = BTreeMap::new();
    for seed in 0..COUNTED {
        count(&generator::expression(&mut Dice(seed)), &mut met);
    }
    let everything: BTreeSet<String> = generator::everything().into_iter().collect();
    let never: Vec<_> = everything
        .iter()
        .filter(|word| !met.contains_key(*word))
        .collect();
    assert!(never.is_empty(), "never generated: {never:?}");
}
