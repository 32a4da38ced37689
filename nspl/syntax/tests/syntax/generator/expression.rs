//! Expressions, types, assignments and maps.

use nspl_syntax::assignment::{Assignment, Map, MapEntry};
use nspl_syntax::data_type::{DataType, DataTypeKind, Scalar};
use nspl_syntax::expression::{Arm, BinaryOp, Call, Number, SCOPES, UnaryOp};
use nspl_syntax::{Expr, ExprKind, Name};
use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::generator::{here, maybe, name, spanned, string, text, whole};

pub(crate) fn data_type() -> BoxedStrategy<DataType> {
    let scalar = select(Scalar::ALL.to_vec()).prop_map(DataType::scalar);
    scalar
        .prop_recursive(3, 6, 1, |element| {
            let array =
                (element.clone(), vec(whole(), 1..3)).prop_map(|(element, dimensions)| DataTypeKind::Array {
                    element: Box::new(element),
                    dimensions,
                });
            let list = element.prop_map(|element| DataTypeKind::Vec {
                element: Box::new(element),
            });
            prop_oneof![array, list].prop_map(|kind| DataType { kind, span: here() })
        })
        .boxed()
}

fn of(kind: ExprKind) -> Expr {
    Expr { kind, span: here() }
}

fn number() -> BoxedStrategy<ExprKind> {
    "-?[0-9]{1,3}(\\.[0-9]{1,2})?(e[+-]?[0-9]{1,2})?"
        .prop_map(|text| ExprKind::Number(Number { text }))
        .boxed()
}

/// A constant that CONFIG takes.
pub(crate) fn literal() -> BoxedStrategy<Expr> {
    prop_oneof![
        number(),
        string().prop_map(ExprKind::Text),
        any::<bool>().prop_map(ExprKind::Bool)
    ]
    .prop_map(of)
    .boxed()
}

fn path() -> BoxedStrategy<ExprKind> {
    let scoped = (select(SCOPES.to_vec()), vec(name(), 1..3)).prop_map(|(scope, rest)| {
        let mut parts = vec![Name::new(scope)];
        parts.extend(rest);
        parts
    });
    prop_oneof![name().prop_map(|name| vec![name]), scoped]
        .prop_map(ExprKind::Path)
        .boxed()
}

fn call(argument: BoxedStrategy<Expr>) -> BoxedStrategy<Call> {
    let function =
        prop_oneof![Just("lower"), Just("coalesce"), Just("now"), Just("left")].prop_map(Name::new);
    (function, vec(argument, 0..3))
        .prop_map(|(function, arguments)| Call {
            function,
            arguments,
            span: here(),
        })
        .boxed()
}

/// A call at the top of INVOKE.
pub(crate) fn invocation() -> BoxedStrategy<Call> {
    call(expression()).boxed()
}

pub(crate) fn expression() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![4 => path(), 2 => number(), 2 => string().prop_map(ExprKind::Text), 1 => Just(ExprKind::Null),
        1 => any::<bool>().prop_map(ExprKind::Bool)];
    leaf.prop_map(of)
        .prop_recursive(4, 24, 3, |inner| {
            prop_oneof![4 => operators(inner.clone()), 2 => forms(inner)].prop_map(of)
        })
        .boxed()
}

fn operators(inner: BoxedStrategy<Expr>) -> BoxedStrategy<ExprKind> {
    let binary =
        (select(BinaryOp::ALL.to_vec()), inner.clone(), inner.clone()).prop_map(|(op, left, right)| {
            ExprKind::Binary {
                op: spanned(op),
                left: Box::new(left),
                right: Box::new(right),
            }
        });
    let unary = (
        prop_oneof![Just(UnaryOp::Negate), Just(UnaryOp::Not)],
        inner.clone(),
    )
        .prop_map(|(op, operand)| ExprKind::Unary {
            op: spanned(op),
            operand: Box::new(operand),
        });
    let cast = (inner, data_type(), any::<bool>()).prop_map(|(operand, target, fallible)| ExprKind::Cast {
        operand: Box::new(operand),
        target,
        fallible,
    });
    prop_oneof![3 => binary, 2 => unary, 1 => cast].boxed()
}

fn forms(inner: BoxedStrategy<Expr>) -> BoxedStrategy<ExprKind> {
    let conditional =
        (inner.clone(), inner.clone(), inner.clone()).prop_map(|(condition, then, otherwise)| ExprKind::If {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        });
    let arm = (inner.clone(), inner.clone()).prop_map(|(when, then)| Arm { when, then });
    let case = (maybe(inner.clone()), vec(arm, 1..3), maybe(inner.clone())).prop_map(
        |(operand, arms, otherwise)| ExprKind::Case {
            operand: operand.map(Box::new),
            arms,
            otherwise: otherwise.map(Box::new),
        },
    );
    let json_value =
        (inner.clone(), text(), data_type(), any::<bool>()).prop_map(|(document, path, target, fallible)| {
            ExprKind::JsonValue {
                document: Box::new(document),
                path,
                target,
                fallible,
            }
        });
    let json_exists = (inner.clone(), text()).prop_map(|(document, path)| ExprKind::JsonExists {
        document: Box::new(document),
        path,
    });
    let array = vec(inner.clone(), 0..3).prop_map(ExprKind::Array);
    prop_oneof![
        call(inner).prop_map(ExprKind::Call),
        conditional,
        case,
        json_value,
        json_exists,
        array
    ]
    .boxed()
}

pub(crate) fn assignments() -> BoxedStrategy<Vec<Assignment>> {
    vec(
        (name(), expression()).prop_map(|(target, value)| Assignment { target, value }),
        1..3,
    )
    .boxed()
}

pub(crate) fn map() -> BoxedStrategy<Map> {
    let entry = (text(), expression()).prop_map(|(key, value)| MapEntry { key, value });
    vec(entry, 0..3)
        .prop_map(|entries| Map {
            entries,
            span: here(),
        })
        .boxed()
}
