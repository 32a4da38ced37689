//! Expressions of one step over columns of several words of rows: each operator, cast, choice and function is computed many
//! rows at a time, and beside constants in another way than beside columns.

use nspl_model::{BinaryOp, CastError, DataType, Expr, ExprKind, Function};

use crate::dice::Dice;
use crate::generator::{Generator, converts, gives, typed};
use crate::table::{Column, Table};
use crate::values::types;

/// Rows of a batch: three words and a part of one.
pub(crate) const ROWS: usize = 3 * 64 + 17;

/// Operands that each operator of each type is drawn with, and arguments for each function.
const DRAWS: usize = 8;

const ARITHMETIC: [BinaryOp; 5] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
];

const COMPARISONS: [BinaryOp; 6] = [
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessOrEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterOrEqual,
];

/// Two columns of each type, one of them without nulls, and two of documents.
pub(crate) fn table() -> Table {
    let pair = |of: DataType, documents: bool| {
        [true, false].map(|nullable| Column {
            of: of.clone(),
            nullable,
            sensitive: false,
            documents,
        })
    };
    let columns = types().into_iter().flat_map(|of| pair(of, false));
    Table {
        columns: columns.chain(pair(DataType::String, true)).collect(),
    }
}

/// Every step that there is, over columns and constants.
pub(crate) fn steps(dice: &mut Dice, table: &Table) -> Vec<Expr> {
    let mut generator = Generator { dice, table };
    let mut steps = Vec::new();
    for of in types() {
        for _ in 0..DRAWS {
            operators(&mut generator, &of, &mut steps);
            steps.push(typed(&of, generator.case(&of, 0)));
            steps.extend(generator.json(&of).map(|kind| typed(&of, kind)));
        }
        for from in types().iter().filter(|from| converts(from, &of)) {
            for on_error in [CastError::Fail, CastError::Null] {
                let operand = generator.operand(from, 0);
                steps.push(typed(&of, ExprKind::Cast { operand, on_error }));
            }
        }
    }
    for function in Function::all() {
        let able: Vec<DataType> = types().into_iter().filter(|of| gives(function, of)).collect();
        for _ in 0..DRAWS {
            let of = generator.dice.pick(&able);
            steps.extend(generator.call_of(function, &of, 0).map(|kind| typed(&of, kind)));
        }
    }
    steps
}

fn operators(generator: &mut Generator<'_>, of: &DataType, steps: &mut Vec<Expr>) {
    let mut binary = |ops: &[BinaryOp], to: &DataType| {
        for op in ops {
            let (op, left, right) = (*op, generator.operand(of, 0), generator.operand(of, 0));
            steps.push(typed(to, ExprKind::Binary { op, left, right }));
        }
    };
    if of.is_numeric() {
        binary(&ARITHMETIC, of);
    }
    if of.is_ordered() {
        binary(&COMPARISONS, &DataType::Bool);
    } else if of.is_comparable() {
        binary(&COMPARISONS[..2], &DataType::Bool);
    }
    if *of == DataType::Bool {
        binary(&[BinaryOp::And, BinaryOp::Or], of);
        steps.push(typed(of, ExprKind::Not(generator.operand(of, 0))));
    }
    if of.is_signed() || of.is_float() {
        steps.push(typed(of, ExprKind::Negate(generator.operand(of, 0))));
    }
}
