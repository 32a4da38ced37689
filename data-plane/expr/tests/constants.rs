//! What validation works out of constants against what the columns give: every function, cast and operator over the
//! values of a random row means the same on both sides, and what always fails at validation fails at run time.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "reference/dice.rs"]
mod dice;
#[path = "reference/documents.rs"]
#[allow(dead_code, reason = "what a document holds is worked out on both sides")]
mod documents;
#[path = "reference/generator.rs"]
#[allow(dead_code, reason = "steps are drawn one by one in another test")]
mod generator;
#[path = "constants/literals.rs"]
mod literals;
#[path = "reference/table.rs"]
#[allow(dead_code, reason = "what a schema says of a column is asked by another test")]
mod table;
#[path = "reference/values.rs"]
mod values;

use arrow::array::RecordBatch;
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Frame, Program};
use nspl_check::constant_value;
use nspl_model::{CastError, DataType, Expr, ExprKind, FieldRef, Function, Literal, Parameter, Scope};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

use dice::Dice;
use literals::{Answer, answer, bound, shown, written};
use table::Table;

/// Choices of arguments that each function is called with, for each number of them.
const CALLS: usize = 600;

fn snapshot() -> Snapshot {
    Snapshot {
        domain_time: DomainTime(-1_000_000_001),
        seed: [3; 32],
    }
}

/// What the columns give in one row.
fn engine(expr: &Expr, batch: &RecordBatch, row: usize) -> Answer {
    let snapshot = snapshot();
    let evaluated = Program::compile(expr)
        .unwrap()
        .evaluate(&Frame::of_input(batch, &snapshot));
    match evaluated.errors.at(u32::try_from(row).unwrap()) {
        Some(_) => Answer::Fails,
        None => answer(&evaluated.array, &expr.data_type, row),
    }
}

fn is_volatile(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call { function, .. } if function.is_volatile())
        || expr.children().into_iter().any(is_volatile)
}

/// Bytes of a text that validation keeps at most, and of one that it matches with a pattern.
const KEPT_MAX: usize = 64 << 10;
const MATCHED_MAX: usize = 4 << 10;

/// Whether the expression, or one within it, gives a text of more bytes than validation keeps.
fn is_too_long(expr: &Expr, most: usize, batch: &RecordBatch, row: usize) -> bool {
    let found = engine(expr, batch, row);
    if matches!(&found, Answer::Gives(Literal::String(text)) if text.len() > most) {
        return true;
    }
    let matches = [
        Function::RegexpLike,
        Function::RegexpReplace,
        Function::RegexpSubstr,
    ];
    let most = match &expr.kind {
        ExprKind::Call { function, .. } if matches.contains(function) => MATCHED_MAX,
        _ => KEPT_MAX,
    };
    let mut within = expr.children().into_iter();
    within.any(|within| is_too_long(within, most, batch, row))
}

/// What validation says; `None` when it says nothing.
fn validation(expr: &Expr) -> Option<Answer> {
    match constant_value(expr) {
        Err(_) => Some(Answer::Fails),
        Ok(Some(literal)) => Some(Answer::Gives(literal)),
        Ok(None) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2500) })]

    #[test]
    fn constants_mean_what_columns_mean(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let table = Table::random(&mut dice);
        let batch = table.batch(&mut dice);
        let expr = generator::expression(&mut dice, &table);
        let row = dice.below(batch.num_rows());
        let constant = bound(&expr, &|field: &FieldRef| {
            match answer(batch.column(field.index), &table.columns[field.index].of, row) {
                Answer::Gives(literal) => literal,
                Answer::Fails => unreachable!("a column has values"),
            }
        });
        let of_columns = engine(&expr, &batch, row);
        let of_constants = engine(&constant, &batch, row);
        prop_assert_eq!(shown(&of_constants), shown(&of_columns), "folded: {:#?}", &constant);
        match validation(&constant) {
            Some(known) => prop_assert_eq!(shown(&known), shown(&of_columns), "validated: {:#?}", &constant),
            None => prop_assert!(
                is_volatile(&constant) || is_too_long(&constant, KEPT_MAX, &batch, row),
                "not worked out: {:#?}",
                &constant
            ),
        }
    }
}

fn input(index: usize, of: &DataType) -> Expr {
    let field = FieldRef {
        scope: Scope::Input,
        name: format!("f{index}"),
        index,
    };
    typed(of, ExprKind::Field(field))
}

fn typed(of: &DataType, kind: ExprKind) -> Expr {
    Expr {
        data_type: of.clone(),
        nullable: true,
        sensitive: false,
        kind,
    }
}

#[test]
fn a_text_that_is_too_long_to_keep_is_not_worked_out() {
    let call = |times: i64| {
        let args = [Literal::String("xy".to_owned()), Literal::I64(times)].map(|value| {
            let of = match value {
                Literal::String(_) => DataType::String,
                _ => DataType::I64,
            };
            typed(&of, ExprKind::Literal(value))
        });
        let kind = ExprKind::Call {
            function: Function::Repeat,
            args: args.into(),
            site: 0,
        };
        typed(&DataType::String, kind)
    };
    let row = row_of(&[DataType::Bool], &[Literal::Bool(true)]);
    let half = i64::try_from(KEPT_MAX / 2).unwrap();
    for (times, is_long) in [(half, false), (half + 1, true)] {
        assert_eq!(validation(&call(times)).is_none(), is_long, "{times}");
        assert_eq!(is_too_long(&call(times), KEPT_MAX, &row, 0), is_long, "{times}");
    }
}

/// A batch of one row.
fn row_of(types: &[DataType], values: &[Literal]) -> RecordBatch {
    let columns = types.iter().zip(values);
    let columns = columns.enumerate().map(|(index, (of, value))| {
        let column = values::column(of, std::slice::from_ref(value));
        (format!("f{index}"), column, true)
    });
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Holds an expression over one row of columns against the same expression over constants.
fn hold(expr: &Expr, types: &[DataType], values: &[Literal]) {
    let constant = bound(expr, &|field: &FieldRef| values[field.index].clone());
    let found = engine(expr, &row_of(types, values), 0);
    let known = validation(&constant).unwrap_or_else(|| panic!("not worked out: {constant:#?}"));
    let values: Vec<String> = values.iter().map(written).collect();
    assert_eq!(shown(&known), shown(&found), "of {values:?}: {expr:#?}");
}

/// Every edge of a type, and null.
fn edges_and_null(of: &DataType) -> Vec<Literal> {
    let mut edges = values::edges(of);
    edges.push(Literal::Null);
    edges
}

#[test]
fn every_cast_of_every_edge_means_the_same_on_both_sides() {
    let mut tried = 0;
    for from in values::types() {
        for to in values::types().iter().filter(|to| generator::converts(&from, to)) {
            for on_error in [CastError::Fail, CastError::Null] {
                let kind = ExprKind::Cast {
                    operand: Box::new(input(0, &from)),
                    on_error,
                };
                for value in edges_and_null(&from) {
                    hold(&typed(to, kind.clone()), std::slice::from_ref(&from), &[value]);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 2_000, "{tried}");
}

/// Types that a parameter takes; `first` is that of the first argument.
fn takes(parameter: Parameter, first: Option<&DataType>) -> Vec<DataType> {
    let all = values::types();
    match (parameter, first) {
        (Parameter::String, _) => vec![DataType::String],
        (Parameter::Count, _) => vec![DataType::I64],
        (Parameter::Integer, _) => all.into_iter().filter(DataType::is_integer).collect(),
        (Parameter::Numeric, _) => all.into_iter().filter(DataType::is_numeric).collect(),
        (Parameter::Any, _) => all,
        (Parameter::Same | Parameter::SameComparable, Some(first)) => vec![first.clone()],
        (Parameter::Same, None) => all,
        (Parameter::SameComparable, None) => all.into_iter().filter(DataType::is_comparable).collect(),
    }
}

/// The result of a call whose arguments have these types.
fn result(function: Function, types: &[DataType]) -> DataType {
    use nspl_model::ResultType;
    match function.signature().result {
        ResultType::Bool => DataType::Bool,
        ResultType::String => DataType::String,
        ResultType::I64 => DataType::I64,
        ResultType::F64 => DataType::F64,
        ResultType::DateTime => DataType::DateTime,
        ResultType::First => types[0].clone(),
    }
}

fn hold_calls(function: Function, count: usize, dice: &mut Dice) {
    for _ in 0..CALLS {
        let mut types: Vec<DataType> = Vec::new();
        for index in 0..count {
            let parameter = function.signature().parameter(index).unwrap();
            let able = takes(parameter, types.first());
            types.push(dice.pick(&able));
        }
        let values: Vec<Literal> = types.iter().map(|of| dice.pick(&edges_and_null(of))).collect();
        let args = types.iter().enumerate().map(|(index, of)| input(index, of));
        let kind = ExprKind::Call {
            function,
            args: args.collect(),
            site: 0,
        };
        hold(&typed(&result(function, &types), kind), &types, &values);
    }
}

#[test]
fn every_function_of_edges_means_the_same_on_both_sides() {
    let mut dice = Dice(1);
    for function in Function::all().filter(|function| !function.is_volatile()) {
        let signature = function.signature();
        let most = if signature.variadic {
            signature.required + 2
        } else {
            signature.parameters.len()
        };
        for count in signature.required.max(1)..=most {
            hold_calls(function, count, &mut dice);
        }
    }
}
