//! Columns against a slow evaluator that goes row by row: random expressions over random batches of random schemas give
//! the same values, the same nulls and the same faults, also on their way from text through the checker.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "reference/checked.rs"]
mod checked;
#[path = "reference/coverage.rs"]
mod coverage;
#[path = "reference/dice.rs"]
mod dice;
#[path = "reference/documents.rs"]
mod documents;
#[path = "reference/generator.rs"]
mod generator;
#[path = "reference/slow.rs"]
mod slow;
#[path = "reference/steps.rs"]
mod steps;
#[path = "reference/table.rs"]
mod table;
#[path = "reference/text.rs"]
mod text;
#[path = "reference/values.rs"]
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{Float32Type, Float64Type, TimestampNanosecondType};
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Entry, Fault, Frame, Program, Sample, reference};
use nspl_model::{DataType, Expr, ExprKind};
use proptest::prelude::{ProptestConfig, any, proptest};

use dice::Dice;
use slow::{Answer, Row, Value};
use table::Table;

/// Expressions that are generated to count what is met; the rarest thing is met in one of a few thousand.
const COUNTED: u64 = 40_000;

/// Expressions that are drawn for one that the checker takes.
const DRAWS_MAX: usize = 50;

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

fn snapshot() -> Snapshot {
    Snapshot {
        domain_time: DomainTime(-1_000_000_001),
        seed: [3; 32],
    }
}

/// Holds what the columns of `typed` give against what the rows of `expr` give.
fn hold(typed: &Expr, expr: &Expr, table: &Table, batch: &RecordBatch) {
    let snapshot = snapshot();
    let frame = Frame::of_input(batch, &snapshot);
    let evaluated = Program::compile(typed).unwrap().evaluate(&frame);
    for row in 0..batch.num_rows() {
        let read = |index: usize| value(batch.column(index), &table.columns[index].of, row);
        let wanted = slow::evaluate(
            expr,
            &Row {
                read: &read,
                snapshot: &snapshot,
            },
        );
        let found = match evaluated.errors.at(u32::try_from(row).unwrap()) {
            Some(error) => Err(error.fault),
            None => Ok(value(&evaluated.array, &expr.data_type, row)),
        };
        assert_eq!(shown(&found), shown(&wanted), "row {row} of {expr:#?}");
        assert!(
            expr.nullable || found != Ok(None),
            "row {row} is null, which this is not: {expr:#?}"
        );
    }
    for (_, error) in evaluated.errors.iter() {
        if let Some(faults) = shown_faults().get(error.operation) {
            assert!(faults.contains(&error.fault), "no example shows {error}");
        }
    }
}

/// Draws until the checker takes an expression; it refuses those of which a constant part always fails, and no others.
fn accepted(dice: &mut Dice, table: &Table) -> (Expr, Expr) {
    for _ in 0..DRAWS_MAX {
        let expr = generator::expression(dice, table);
        let Some(mut written) = text::written(&expr) else {
            continue;
        };
        let of = &expr.data_type;
        let mut answer = checked::checked(table, of, &written);
        if expr.sensitive && !is_of_constants(&answer) {
            assert_eq!(answer.unwrap_err(), ["E1315"], "{written}");
            written = format!("leak_sensitive({written})");
            answer = checked::checked(table, of, &written);
        }
        if is_of_constants(&answer) {
            continue;
        }
        let typed = answer.unwrap_or_else(|codes| panic!("{codes:?}: {written}"));
        assert_eq!(typed.data_type, *of, "{written}");
        assert_eq!(typed.nullable, expr.nullable, "{written}");
        return (typed, expr);
    }
    panic!("nothing was accepted in {DRAWS_MAX} draws");
}

/// Whether it was refused for a part of constants that always fails, or a constant pattern that does not compile.
fn is_of_constants(answer: &Result<Expr, Vec<&'static str>>) -> bool {
    matches!(answer, Err(codes) if codes.iter().any(|code| ["E1313", "E1317"].contains(code)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2500) })]

    #[test]
    fn columns_give_what_rows_give(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let table = Table::random(&mut dice);
        let batch = table.batch(&mut dice);
        let expr = generator::expression(&mut dice, &table);
        hold(&expr, &expr, &table, &batch);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn texts_give_what_rows_give_in_the_type_and_sensitivity_that_the_rules_say(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let table = Table::random(&mut dice);
        let (typed, expr) = accepted(&mut dice, &table);
        let batch = table.batch(&mut dice);
        hold(&typed, &expr, &table, &batch);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1) })]

    #[test]
    fn each_step_gives_in_words_of_rows_what_rows_give(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let table = steps::table();
        for some in steps::steps(&mut dice, &table).chunks(100) {
            let batch = table.batch_of(steps::ROWS, &mut dice);
            for expr in some {
                hold(expr, expr, &table, &batch);
            }
        }
    }
}

fn count(expr: &Expr, met: &mut BTreeMap<String, usize>) {
    for word in coverage::met(expr) {
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
        let mut dice = Dice(seed);
        let table = Table::random(&mut dice);
        count(&generator::expression(&mut dice, &table), &mut met);
    }
    let everything: BTreeSet<String> = coverage::everything().into_iter().collect();
    let never: Vec<_> = everything
        .iter()
        .filter(|word| !met.contains_key(*word))
        .collect();
    assert!(never.is_empty(), "never generated: {never:?}");
}
