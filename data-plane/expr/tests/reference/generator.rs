//! Random batches, and random expressions that the checker would let through.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int8Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow::datatypes::{Field, Schema};
use nervix_columns::arrow_type;
use nspl_model::{BinaryOp, CastError, DataType, Expr, ExprKind, FieldRef, Function, Literal, Scope};

use crate::dice::Dice;

/// The types of the columns, and of every expression.
pub(crate) const COLUMNS: [DataType; 5] = [
    DataType::I8,
    DataType::I64,
    DataType::F64,
    DataType::Bool,
    DataType::String,
];

const I64S: [i64; 8] = [0, 1, -1, 2, 7, i64::MAX, i64::MIN, 1 << 53];
const I8S: [i8; 6] = [0, 1, -1, 5, i8::MAX, i8::MIN];
const F64S: [f64; 9] = [
    0.0,
    -0.0,
    1.0,
    -2.5,
    1e300,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    9_007_199_254_740_993.0,
];
const TEXTS: [&str; 9] = [
    "",
    "a",
    "Ab",
    "🦀é",
    " x ",
    "12",
    "-1.5e3",
    "true",
    "9223372036854775808",
];

/// A slice of a batch with one nullable column of each type.
pub(crate) fn batch(dice: &mut Dice) -> RecordBatch {
    let rows = dice.below(24) + 4;
    let mut columns: Vec<ArrayRef> = Vec::new();
    let keep: Vec<bool> = (0..rows * 5).map(|_| dice.below(4) > 0).collect();
    let kept = |column: usize, row: usize| keep[column * rows + row];
    let i8s: Vec<_> = (0..rows)
        .map(|row| kept(0, row).then(|| dice.pick(&I8S)))
        .collect();
    columns.push(Arc::new(Int8Array::from(i8s)));
    let i64s: Vec<_> = (0..rows)
        .map(|row| kept(1, row).then(|| dice.pick(&I64S)))
        .collect();
    columns.push(Arc::new(Int64Array::from(i64s)));
    let f64s: Vec<_> = (0..rows)
        .map(|row| kept(2, row).then(|| dice.pick(&F64S)))
        .collect();
    columns.push(Arc::new(Float64Array::from(f64s)));
    let bools: Vec<_> = (0..rows)
        .map(|row| kept(3, row).then(|| dice.below(2) == 0))
        .collect();
    columns.push(Arc::new(BooleanArray::from(bools)));
    let texts: Vec<_> = (0..rows)
        .map(|row| kept(4, row).then(|| dice.pick(&TEXTS)))
        .collect();
    columns.push(Arc::new(StringArray::from(texts)));
    let fields = COLUMNS.iter().enumerate();
    let fields = fields.map(|(index, of)| Field::new(format!("f{index}"), arrow_type(of), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let whole = RecordBatch::try_new_with_options(schema, columns, &options).unwrap();
    whole.slice(dice.below(4), rows - 4)
}

/// An expression of any of the types.
pub(crate) fn expression(dice: &mut Dice) -> Expr {
    let of = dice.pick(&COLUMNS);
    node(dice, &of, 4)
}

fn node(dice: &mut Dice, of: &DataType, depth: usize) -> Expr {
    if depth == 0 || dice.below(5) == 0 {
        return leaf(dice, of);
    }
    let depth = depth - 1;
    let kind = match (dice.below(6), of) {
        (0, _) => case(dice, of, depth),
        (1, _) => {
            let function = dice.pick(&[Function::Coalesce, Function::Nullif]);
            ExprKind::Call {
                function,
                args: vec![node(dice, of, depth), node(dice, of, depth)],
                site: 0,
            }
        }
        (2, _) => cast(dice, of, depth),
        (_, DataType::Bool) => truth(dice, depth),
        (_, DataType::String) => text(dice, depth),
        (3, _) => ExprKind::Negate(Box::new(node(dice, of, depth))),
        (4, DataType::I64) => {
            let args = vec![node(dice, &DataType::String, depth)];
            ExprKind::Call {
                function: Function::Length,
                args,
                site: 0,
            }
        }
        _ => {
            let op = dice.pick(&[
                BinaryOp::Add,
                BinaryOp::Subtract,
                BinaryOp::Multiply,
                BinaryOp::Divide,
                BinaryOp::Remainder,
            ]);
            pair(dice, op, of, depth)
        }
    };
    typed(of, kind)
}

fn typed(of: &DataType, kind: ExprKind) -> Expr {
    Expr {
        data_type: of.clone(),
        nullable: true,
        sensitive: false,
        kind,
    }
}

fn leaf(dice: &mut Dice, of: &DataType) -> Expr {
    let index = COLUMNS.iter().position(|column| column == of).unwrap();
    if dice.below(3) > 0 {
        let field = FieldRef {
            scope: Scope::Input,
            name: format!("f{index}"),
            index,
        };
        return typed(of, ExprKind::Field(field));
    }
    let literal = match of {
        _ if dice.below(5) == 0 => Literal::Null,
        DataType::I8 => Literal::I8(dice.pick(&I8S)),
        DataType::I64 => Literal::I64(dice.pick(&I64S)),
        DataType::F64 => Literal::F64(dice.pick(&F64S)),
        DataType::Bool => Literal::Bool(dice.below(2) == 0),
        _ => Literal::String(dice.pick(&TEXTS).into()),
    };
    typed(of, ExprKind::Literal(literal))
}

fn pair(dice: &mut Dice, op: BinaryOp, of: &DataType, depth: usize) -> ExprKind {
    let (left, right) = (Box::new(node(dice, of, depth)), Box::new(node(dice, of, depth)));
    ExprKind::Binary { op, left, right }
}

fn truth(dice: &mut Dice, depth: usize) -> ExprKind {
    match dice.below(5) {
        0 => ExprKind::Not(Box::new(node(dice, &DataType::Bool, depth))),
        1 => {
            let of = dice.pick(&COLUMNS);
            let args = vec![node(dice, &of, depth)];
            ExprKind::Call {
                function: Function::IsNull,
                args,
                site: 0,
            }
        }
        2 | 3 => {
            let op = dice.pick(&[BinaryOp::And, BinaryOp::Or]);
            pair(dice, op, &DataType::Bool, depth)
        }
        _ => {
            let of = dice.pick(&[DataType::I8, DataType::I64, DataType::F64, DataType::String]);
            let op = dice.pick(&[
                BinaryOp::Equal,
                BinaryOp::NotEqual,
                BinaryOp::Less,
                BinaryOp::LessOrEqual,
                BinaryOp::Greater,
                BinaryOp::GreaterOrEqual,
            ]);
            pair(dice, op, &of, depth)
        }
    }
}

fn text(dice: &mut Dice, depth: usize) -> ExprKind {
    let function = dice.pick(&[
        Function::Concat,
        Function::Left,
        Function::Reverse,
        Function::Trim,
    ]);
    let mut args = vec![node(dice, &DataType::String, depth)];
    match function {
        Function::Concat => args.push(node(dice, &DataType::String, depth)),
        Function::Left => args.push(node(dice, &DataType::I64, depth)),
        _ => {}
    }
    ExprKind::Call {
        function,
        args,
        site: 0,
    }
}

fn cast(dice: &mut Dice, to: &DataType, depth: usize) -> ExprKind {
    let from = match to {
        DataType::Bool => dice.pick(&[DataType::Bool, DataType::String]),
        DataType::String => dice.pick(&COLUMNS),
        _ => dice.pick(&[DataType::I8, DataType::I64, DataType::F64, DataType::String]),
    };
    let on_error = dice.pick(&[CastError::Fail, CastError::Null]);
    ExprKind::Cast {
        operand: Box::new(node(dice, &from, depth)),
        on_error,
    }
}

fn case(dice: &mut Dice, of: &DataType, depth: usize) -> ExprKind {
    let operand_type = (dice.below(2) == 0).then(|| dice.pick(&COLUMNS));
    let when_type = operand_type.clone().unwrap_or(DataType::Bool);
    let operand = operand_type.map(|operand| Box::new(node(dice, &operand, depth)));
    let arms = (0..dice.below(3) + 1)
        .map(|_| (node(dice, &when_type, depth), node(dice, of, depth)))
        .collect();
    let otherwise = (dice.below(2) == 0).then(|| Box::new(node(dice, of, depth)));
    ExprKind::Case {
        operand,
        arms,
        otherwise,
    }
}
