//! Values as literals: what stands in a column, and an expression whose fields have become constants.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampNanosecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use nspl_model::{DataType, Expr, ExprKind, FieldRef, Literal};

/// What an expression gives of one record.
pub(crate) enum Answer {
    /// A value, or null.
    Gives(Literal),
    /// An error of the record.
    Fails,
}

/// What can be compared: NaN is a word, and zeros keep their sign.
pub(crate) fn shown(answer: &Answer) -> String {
    match answer {
        Answer::Fails => "fails".to_owned(),
        Answer::Gives(literal) => written(literal),
    }
}

/// A literal with its value, which its own Debug keeps to itself.
pub(crate) fn written(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Bool(value) => value.to_string(),
        Literal::F32(value) => format!("{value:?} F32"),
        Literal::F64(value) => format!("{value:?} F64"),
        Literal::String(value) => format!("{value:?}"),
        Literal::DateTime(value) => format!("{value} ns"),
        Literal::Bytes(value) => format!("{value:?} BYTES"),
        Literal::List(items) => format!("{:?}", items.iter().map(written).collect::<Vec<_>>()),
        number => format!("{number:?} {}", number.as_integer().unwrap()),
    }
}

/// What stands in a row of a column.
pub(crate) fn answer(array: &ArrayRef, of: &DataType, row: usize) -> Answer {
    Answer::Gives(literal(array, of, row))
}

fn literal(array: &ArrayRef, of: &DataType, row: usize) -> Literal {
    if array.is_null(row) {
        return Literal::Null;
    }
    match of {
        DataType::U8 => Literal::U8(array.as_primitive::<UInt8Type>().value(row)),
        DataType::I8 => Literal::I8(array.as_primitive::<Int8Type>().value(row)),
        DataType::U16 => Literal::U16(array.as_primitive::<UInt16Type>().value(row)),
        DataType::I16 => Literal::I16(array.as_primitive::<Int16Type>().value(row)),
        DataType::U32 => Literal::U32(array.as_primitive::<UInt32Type>().value(row)),
        DataType::I32 => Literal::I32(array.as_primitive::<Int32Type>().value(row)),
        DataType::U64 => Literal::U64(array.as_primitive::<UInt64Type>().value(row)),
        DataType::I64 => Literal::I64(array.as_primitive::<Int64Type>().value(row)),
        DataType::F32 => Literal::F32(array.as_primitive::<Float32Type>().value(row)),
        DataType::F64 => Literal::F64(array.as_primitive::<Float64Type>().value(row)),
        DataType::Bool => Literal::Bool(array.as_boolean().value(row)),
        DataType::String => Literal::String(array.as_string::<i32>().value(row).to_owned()),
        DataType::DateTime => Literal::DateTime(array.as_primitive::<TimestampNanosecondType>().value(row)),
        DataType::Bytes => Literal::Bytes(array.as_binary::<i32>().value(row).to_owned()),
        DataType::Vec(_) => list(&array.as_list::<i32>().value(row), of),
        DataType::Array(..) => list(&array.as_fixed_size_list().value(row), of),
    }
}

fn list(items: &ArrayRef, of: &DataType) -> Literal {
    let element = of.element().unwrap();
    Literal::List(
        (0..items.len())
            .map(|row| literal(items, &element, row))
            .collect(),
    )
}

/// The expression with a constant in the place of each field.
pub(crate) fn bound(expr: &Expr, value: &dyn Fn(&FieldRef) -> Literal) -> Expr {
    let one = |expr: &Expr| Box::new(bound(expr, value));
    let kind = match &expr.kind {
        ExprKind::Literal(literal) => ExprKind::Literal(literal.clone()),
        ExprKind::Field(field) => ExprKind::Literal(value(field)),
        ExprKind::Negate(operand) => ExprKind::Negate(one(operand)),
        ExprKind::Not(operand) => ExprKind::Not(one(operand)),
        ExprKind::Binary { op, left, right } => ExprKind::Binary {
            op: *op,
            left: one(left),
            right: one(right),
        },
        ExprKind::Cast { operand, on_error } => ExprKind::Cast {
            operand: one(operand),
            on_error: *on_error,
        },
        ExprKind::Call { function, args, site } => ExprKind::Call {
            function: *function,
            args: args.iter().map(|arg| bound(arg, value)).collect(),
            site: *site,
        },
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        } => ExprKind::Case {
            operand: operand.as_deref().map(one),
            arms: arms
                .iter()
                .map(|(when, then)| (bound(when, value), bound(then, value)))
                .collect(),
            otherwise: otherwise.as_deref().map(one),
        },
        ExprKind::JsonValue {
            document,
            path,
            on_error,
        } => ExprKind::JsonValue {
            document: one(document),
            path: path.clone(),
            on_error: *on_error,
        },
        ExprKind::JsonExists { document, path } => ExprKind::JsonExists {
            document: one(document),
            path: path.clone(),
        },
    };
    Expr {
        data_type: expr.data_type.clone(),
        nullable: expr.nullable,
        sensitive: expr.sensitive,
        kind,
    }
}
