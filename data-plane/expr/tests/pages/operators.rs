//! Which operators take which types, tried out.

use nspl_model::{BinaryOp, DataType, ExprKind};

use crate::conversions::{failing, field, node};
use crate::values::types;

const BINARY: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessOrEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterOrEqual,
    BinaryOp::And,
    BinaryOp::Or,
];

fn takes_pair(op: BinaryOp, of: &DataType) -> bool {
    let (left, right) = (Box::new(field(of)), Box::new(field(of)));
    let result = if op.is_arithmetic() {
        of.clone()
    } else {
        DataType::Bool
    };
    failing(of, &node(result, ExprKind::Binary { op, left, right })).is_some()
}

fn taken(takes: impl Fn(&DataType) -> bool) -> String {
    let types = types().into_iter().filter(|of| takes(of));
    types.map(|of| of.to_string()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn page() -> String {
    let mut text = String::from(
        "# Operators\n\nBoth sides have one exact type. [All expressions](README.md).\n\n| operator | types | result |\n|---|---|---|\n",
    );
    let minus = taken(|of| failing(of, &node(of.clone(), ExprKind::Negate(Box::new(field(of))))).is_some());
    text.push_str(&format!("| unary `-` | {minus} | the same |\n"));
    for op in BINARY {
        let result = if op.is_arithmetic() { "the same" } else { "BOOL" };
        let types = taken(|of| takes_pair(op, of));
        text.push_str(&format!("| `{}` | {types} | {result} |\n", op.symbol()));
    }
    let not = taken(|of| failing(of, &node(DataType::Bool, ExprKind::Not(Box::new(field(of))))).is_some());
    text.push_str(&format!("| `NOT` | {not} | BOOL |\n"));
    text.push_str(
        "\nFrom tight to loose: `AS`; unary `-`; `* / %`; `+ -`; comparisons, which do not chain; `NOT`; `AND`; `OR`.\n\n\
         Integer arithmetic stays in its type, and a result past its range is an error of the record: \
         `+: the result is out of range`. `/` truncates toward zero, `%` has the sign of the dividend. Floats follow IEEE 754, but \
         `/` and `%` by zero are errors: `/: division by zero`. As in Postgres NaN equals itself and is greater than every \
         number, and `-0.0` equals `0.0`; texts and bytes order by their bytes.\n\n\
         A null operand makes the result null. AND and OR are three-valued, and an error in one operand does not count where the \
         other alone decides. In IF, CASE and coalesce what is not reached does not count.\n",
    );
    text
}
