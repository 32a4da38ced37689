//! Random batches, and random expressions that the checker would let through.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};
use nspl_model::{
    BinaryOp, CastError, DataType, Expr, ExprKind, FieldRef, Function, JsonPath, Literal, Nullability,
    Parameter, ResultType, Scope,
};

use crate::dice::Dice;
use crate::documents;
use crate::values::{column, edges, random, types};

/// How deep expressions nest.
const DEPTH: usize = 4;

/// Rows that are cut off a batch, so that its columns are slices.
const CUT_MAX: usize = 3;

/// The columns: one of each type, then one of JSON documents.
pub(crate) fn columns() -> Vec<DataType> {
    let mut columns = types();
    columns.push(DataType::String);
    columns
}

/// A slice of a batch with a nullable column of each type: some nulls, none, or nothing else.
pub(crate) fn batch(dice: &mut Dice) -> RecordBatch {
    let rows = dice.below(20) + 1;
    let whole = rows + CUT_MAX;
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for of in columns() {
        let nulls = dice.pick(&[0, 0, 1, 1, 1, 4]);
        let documents = arrays.len() == types().len();
        let mut value = || match dice.below(4) < nulls {
            true => Literal::Null,
            false if documents => Literal::String(dice.pick(&documents::TEXTS).into()),
            false => random(dice, &of),
        };
        let values: Vec<Literal> = (0..whole).map(|_| value()).collect();
        arrays.push(column(&of, &values));
    }
    let fields = arrays.iter().enumerate();
    let fields =
        fields.map(|(index, array)| Field::new(format!("f{index}"), array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(whole));
    let whole = RecordBatch::try_new_with_options(schema, arrays, &options).unwrap();
    whole.slice(dice.below(CUT_MAX + 1), rows)
}

/// An expression of any of the types.
pub(crate) fn expression(dice: &mut Dice) -> Expr {
    let of = dice.pick(&types());
    node(dice, &of, DEPTH)
}

fn node(dice: &mut Dice, of: &DataType, depth: usize) -> Expr {
    if depth == 0 || dice.below(6) == 0 {
        return leaf(dice, of);
    }
    let depth = depth - 1;
    let kind = match dice.below(8) {
        0 => Some(case(dice, of, depth)),
        1 => cast(dice, of, depth),
        2 => json(dice, of),
        3 | 4 => operator(dice, of, depth),
        _ => call(dice, of, depth),
    };
    match kind {
        Some(kind) => typed(of, kind),
        None => leaf(dice, of),
    }
}

fn typed(of: &DataType, kind: ExprKind) -> Expr {
    Expr {
        data_type: of.clone(),
        nullable: true,
        sensitive: false,
        kind,
    }
}

fn field(of: &DataType, index: usize) -> Expr {
    let field = FieldRef {
        scope: Scope::Input,
        name: format!("f{index}"),
        index,
    };
    typed(of, ExprKind::Field(field))
}

fn leaf(dice: &mut Dice, of: &DataType) -> Expr {
    if dice.below(3) > 0 {
        let index = types().iter().position(|known| known == of).unwrap();
        return field(of, index);
    }
    let literal = match dice.below(5) {
        0 => Literal::Null,
        _ => random(dice, of),
    };
    typed(of, ExprKind::Literal(literal))
}

fn operator(dice: &mut Dice, of: &DataType, depth: usize) -> Option<ExprKind> {
    let operand = |dice: &mut Dice, of: &DataType| Box::new(node(dice, of, depth));
    if *of != DataType::Bool {
        let signed = of.is_signed() || of.is_float();
        if signed && dice.below(5) == 0 {
            return Some(ExprKind::Negate(operand(dice, of)));
        }
        let op = dice.pick(&[
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
        ]);
        let (left, right) = (operand(dice, of), operand(dice, of));
        return of.is_numeric().then_some(ExprKind::Binary { op, left, right });
    }
    let op = dice.pick(&[
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessOrEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterOrEqual,
    ]);
    if dice.below(6) == 0 {
        return Some(ExprKind::Not(operand(dice, &DataType::Bool)));
    }
    let sides = match op {
        BinaryOp::And | BinaryOp::Or => DataType::Bool,
        BinaryOp::Equal | BinaryOp::NotEqual => dice.pick(&DataType::SCALARS),
        _ => loop {
            let of = dice.pick(&DataType::SCALARS);
            if of.is_ordered() {
                break of;
            }
        },
    };
    let (left, right) = (operand(dice, &sides), operand(dice, &sides));
    Some(ExprKind::Binary { op, left, right })
}

/// Whether rulings section 5 has the cast.
pub(crate) fn converts(from: &DataType, to: &DataType) -> bool {
    let number = DataType::is_numeric;
    let scalar = |of: &DataType| DataType::SCALARS.contains(of);
    let through_text = |text: &DataType, other: &DataType| *text == DataType::String && scalar(other);
    scalar(from)
        && (from == to || (number(from) && number(to)) || through_text(from, to) || through_text(to, from))
}

fn cast(dice: &mut Dice, to: &DataType, depth: usize) -> Option<ExprKind> {
    let from: Vec<DataType> = types().into_iter().filter(|from| converts(from, to)).collect();
    if from.is_empty() {
        return None;
    }
    let from = dice.pick(&from);
    Some(ExprKind::Cast {
        operand: Box::new(node(dice, &from, depth)),
        on_error: dice.pick(&[CastError::Fail, CastError::Null]),
    })
}

fn case(dice: &mut Dice, of: &DataType, depth: usize) -> ExprKind {
    let operand_type = (dice.below(2) == 0).then(|| dice.pick(&DataType::SCALARS));
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

fn json(dice: &mut Dice, of: &DataType) -> Option<ExprKind> {
    if of.is_list() || *of == DataType::Bytes {
        return None;
    }
    let document = Box::new(match dice.below(3) {
        0 => typed(
            &DataType::String,
            ExprKind::Literal(Literal::String(dice.pick(&documents::TEXTS).into())),
        ),
        _ => field(&DataType::String, types().len()),
    });
    let path = JsonPath::parse(dice.pick(&documents::PATHS)).unwrap();
    if *of == DataType::Bool && dice.below(2) == 0 {
        return Some(ExprKind::JsonExists { document, path });
    }
    let on_error = dice.pick(&[CastError::Fail, CastError::Null]);
    Some(ExprKind::JsonValue {
        document,
        path,
        on_error,
    })
}

/// Whether a function can give the type.
fn gives(function: Function, of: &DataType) -> bool {
    let signature = function.signature();
    match (signature.result, signature.parameters.first()) {
        (ResultType::Bool, _) => *of == DataType::Bool,
        (ResultType::String, _) => *of == DataType::String,
        (ResultType::I64, _) => *of == DataType::I64,
        (ResultType::F64, _) => *of == DataType::F64,
        (ResultType::DateTime, _) => *of == DataType::DateTime,
        (ResultType::First, Some(Parameter::Numeric)) => of.is_numeric(),
        (ResultType::First, Some(Parameter::SameComparable)) => of.is_comparable(),
        (ResultType::First, _) => true,
    }
}

fn call(dice: &mut Dice, of: &DataType, depth: usize) -> Option<ExprKind> {
    let able: Vec<Function> = Function::all().filter(|function| gives(*function, of)).collect();
    let function = dice.pick(&able);
    let signature = function.signature();
    let random = matches!(function, Function::UuidV4 | Function::UuidV7);
    if random {
        // What is drawn cannot be known here, but how long it is can.
        return None;
    }
    let count = match signature.variadic {
        true => dice.below(3) + signature.required,
        false => signature.required + dice.below(signature.parameters.len() - signature.required + 1),
    };
    let mut args = Vec::new();
    for index in 0..count {
        let of = match signature.parameter(index)? {
            _ if signature.result == ResultType::First => of.clone(),
            Parameter::String => DataType::String,
            Parameter::Count => DataType::I64,
            Parameter::Integer => dice.pick(&DataType::SCALARS[..8]),
            Parameter::Numeric => dice.pick(&DataType::SCALARS[..10]),
            Parameter::Any | Parameter::Same | Parameter::SameComparable => dice.pick(&types()),
        };
        args.push(argument(dice, function, (&of, index), depth));
    }
    let site = 0;
    Some(ExprKind::Call { function, args, site })
}

fn argument(dice: &mut Dice, function: Function, (of, index): (&DataType, usize), depth: usize) -> Expr {
    let measured = matches!(
        function,
        Function::Length | Function::CharLength | Function::IsNull
    );
    if measured && dice.below(8) == 0 {
        let function = dice.pick(&[Function::UuidV4, Function::UuidV7]);
        let (args, site) = (Vec::new(), 1);
        return typed(&DataType::String, ExprKind::Call { function, args, site });
    }
    let pattern = index == 1 && function.name().starts_with("regexp_");
    if pattern && dice.below(2) == 0 {
        let pattern = dice.pick(&["[a-z]+", "a*", "(\\w)(\\d)?", "^.$", "(", "é|🦀", ","]);
        return typed(
            &DataType::String,
            ExprKind::Literal(Literal::String(pattern.into())),
        );
    }
    let replacement = index == 2 && function == Function::RegexpReplace;
    if replacement && dice.below(2) == 0 {
        let text = dice.pick(&["$0$1", "<${2}>", "$$", "-"]);
        return typed(&DataType::String, ExprKind::Literal(Literal::String(text.into())));
    }
    let real = *of != DataType::String && function.signature().result == ResultType::F64;
    if real && *of == DataType::F64 && dice.below(2) == 0 {
        let value = dice.pick(&[0.0, 0.25, -0.75, 1.0, 2.0, 10.0, 1000.0, -3.0]);
        return typed(of, ExprKind::Literal(Literal::F64(value)));
    }
    node(dice, of, depth)
}

/// What there is to be met, in words.
pub(crate) fn everything() -> Vec<String> {
    let mut all: Vec<String> = Function::all()
        .map(|function| format!("call {}", function.name()))
        .collect();
    for of in types() {
        all.push(format!("column {of}"));
        all.push(format!("case of {of}"));
        all.extend(types().iter().filter(|to| converts(&of, to)).flat_map(|to| {
            [CastError::Fail, CastError::Null].map(|on_error| format!("cast {of} {to} {on_error:?}"))
        }));
        if of.is_numeric() {
            all.extend(["+", "-", "*", "/", "%"].map(|op| format!("{op} {of}")));
            all.extend(
                ["abs", "ceil", "ceiling", "floor", "round"].map(|name| format!("call {name} of {of}")),
            );
        }
        if of.is_integer() {
            all.push(format!("call to_hex of {of}"));
        }
        if of.is_signed() || of.is_float() {
            all.push(format!("minus {of}"));
        }
        if of.is_comparable() {
            all.extend(["=", "!="].map(|op| format!("{op} {of}")));
            all.push(format!("call nullif of {of}"));
            all.push(format!("case by {of}"));
        }
        if of.is_ordered() {
            all.extend(["<", "<=", ">", ">="].map(|op| format!("{op} {of}")));
        }
        if of.is_comparable() && of != DataType::Bytes {
            all.extend([CastError::Fail, CastError::Null].map(|on_error| format!("json {of} {on_error:?}")));
        }
        all.extend(["coalesce", "is_null", "leak_sensitive"].map(|name| format!("call {name} of {of}")));
        all.extend((0..edges(&of).len()).map(|index| format!("literal {of} {index}")));
        all.push(format!("null {of}"));
    }
    all.extend(["case by conditions", "AND BOOL", "OR BOOL", "NOT", "JSON_EXISTS"].map(str::to_owned));
    all
}

/// What the top of an expression is, in the words of [`everything`].
pub(crate) fn met(expr: &Expr) -> Vec<String> {
    let of = &expr.data_type;
    match &expr.kind {
        ExprKind::Literal(Literal::Null) => vec![format!("null {of}")],
        ExprKind::Literal(literal) => {
            let index = edges(of).iter().position(|edge| edge == literal);
            index
                .map(|index| format!("literal {of} {index}"))
                .into_iter()
                .collect()
        }
        ExprKind::Field(_) => vec![format!("column {of}")],
        ExprKind::Negate(_) => vec![format!("minus {of}")],
        ExprKind::Not(_) => vec!["NOT".into()],
        ExprKind::Binary { op, left, .. } => vec![format!("{} {}", op.symbol(), left.data_type)],
        ExprKind::Cast { operand, on_error } => vec![format!("cast {} {of} {on_error:?}", operand.data_type)],
        ExprKind::Call { function, args, .. } => {
            let name = format!("call {}", function.name());
            let first = args.first().map(|arg| format!("{name} of {}", arg.data_type));
            first.into_iter().chain([name]).collect()
        }
        ExprKind::Case { operand, .. } => vec![
            format!("case of {of}"),
            match operand {
                Some(operand) => format!("case by {}", operand.data_type),
                None => "case by conditions".into(),
            },
        ],
        ExprKind::JsonValue { on_error, .. } => vec![format!("json {of} {on_error:?}")],
        ExprKind::JsonExists { .. } => vec!["JSON_EXISTS".into()],
    }
}

/// Whether the result of a call is null because an argument is.
pub(crate) fn propagates(function: Function) -> bool {
    function.signature().nullability == Nullability::Propagates
}
