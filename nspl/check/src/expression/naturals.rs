//! What type each node of an expression brings by itself, before any wish reaches it.

use std::collections::HashMap;

use nspl_model::{DataType, Function, Parameter, ResultType};
use nspl_syntax::expression::{Arm, BinaryOp, Call, Expr, ExprKind, UnaryOp};

use super::environment::Environment;
use crate::data_type::data_type;

/// What a node brings.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Natural {
    /// Its own type.
    Rigid(DataType),
    /// Literals of which one is a decimal.
    Decimal,
    /// Integer literals.
    Integer,
    /// NULL.
    Null,
    /// An array literal.
    Array,
    /// Nothing that is known: it is refused elsewhere.
    Unknown,
}

/// The naturals of a whole tree, by the address of the node, which stays where it is while it is judged.
#[derive(Default)]
pub(super) struct Naturals {
    by_address: HashMap<usize, Natural>,
}

impl Naturals {
    pub(super) fn of(root: &Expr, env: &Environment<'_>) -> Naturals {
        let mut naturals = Naturals::default();
        naturals.visit(root, env);
        naturals
    }

    pub(super) fn get(&self, node: &Expr) -> Natural {
        self.by_address
            .get(&address(node))
            .cloned()
            .unwrap_or(Natural::Unknown)
    }

    pub(super) fn join<'n>(&self, nodes: impl IntoIterator<Item = &'n Expr>) -> Natural {
        let all = nodes.into_iter().map(|node| self.get(node));
        all.reduce(join).unwrap_or(Natural::Unknown)
    }

    fn visit(&mut self, node: &Expr, env: &Environment<'_>) -> Natural {
        let natural = match &node.kind {
            ExprKind::Null => Natural::Null,
            ExprKind::Bool(_) => Natural::Rigid(DataType::Bool),
            ExprKind::Number(number) if number.is_decimal() => Natural::Decimal,
            ExprKind::Number(_) => Natural::Integer,
            ExprKind::Text(_) => Natural::Rigid(DataType::String),
            ExprKind::Array(elements) => {
                self.visit_all(elements, env);
                Natural::Array
            }
            ExprKind::Path(path) => match env.find(path, node.span) {
                Ok(found) => Natural::Rigid(found.data_type),
                Err(_) => Natural::Unknown,
            },
            ExprKind::Unary { op, operand } => match (op.node, self.visit(operand, env)) {
                (UnaryOp::Not, _) => Natural::Rigid(DataType::Bool),
                (UnaryOp::Negate, natural) => natural,
            },
            ExprKind::Binary { op, left, right } => {
                let operands = join(self.visit(left, env), self.visit(right, env));
                if is_arithmetic(op.node) {
                    operands
                } else {
                    Natural::Rigid(DataType::Bool)
                }
            }
            ExprKind::Cast { operand, target, .. } => {
                self.visit(operand, env);
                data_type(target).map_or(Natural::Unknown, Natural::Rigid)
            }
            ExprKind::Call(call) => self.call(call, env),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.visit(condition, env);
                join(self.visit(then, env), self.visit(otherwise, env))
            }
            ExprKind::Case {
                operand,
                arms,
                otherwise,
            } => self.case((operand.as_deref(), arms, otherwise.as_deref()), env),
            ExprKind::JsonValue { document, target, .. } => {
                self.visit(document, env);
                data_type(target).map_or(Natural::Unknown, Natural::Rigid)
            }
            ExprKind::JsonExists { document, .. } => {
                self.visit(document, env);
                Natural::Rigid(DataType::Bool)
            }
        };
        self.by_address.insert(address(node), natural.clone());
        natural
    }

    fn visit_all(&mut self, nodes: &[Expr], env: &Environment<'_>) -> Vec<Natural> {
        nodes.iter().map(|node| self.visit(node, env)).collect()
    }

    fn call(&mut self, call: &Call, env: &Environment<'_>) -> Natural {
        let arguments = self.visit_all(&call.arguments, env);
        let Some(function) = Function::from_name(&call.function.text) else {
            return Natural::Unknown;
        };
        let signature = function.signature();
        match signature.result {
            ResultType::Bool => Natural::Rigid(DataType::Bool),
            ResultType::String => Natural::Rigid(DataType::String),
            ResultType::I64 => Natural::Rigid(DataType::I64),
            ResultType::F64 => Natural::Rigid(DataType::F64),
            ResultType::DateTime => Natural::Rigid(DataType::DateTime),
            ResultType::First => {
                let same = |index: &usize| {
                    matches!(
                        signature.parameter(*index),
                        Some(Parameter::Same | Parameter::SameComparable)
                    )
                };
                let alike = arguments
                    .into_iter()
                    .enumerate()
                    .filter(|(index, _)| *index == 0 || same(index));
                alike
                    .map(|(_, natural)| natural)
                    .reduce(join)
                    .unwrap_or(Natural::Unknown)
            }
        }
    }

    fn case(&mut self, case: (Option<&Expr>, &[Arm], Option<&Expr>), env: &Environment<'_>) -> Natural {
        let (operand, arms, otherwise) = case;
        if let Some(operand) = operand {
            self.visit(operand, env);
        }
        let mut values = Vec::new();
        for arm in arms {
            self.visit(&arm.when, env);
            values.push(self.visit(&arm.then, env));
        }
        values.extend(otherwise.map(|node| self.visit(node, env)));
        values.into_iter().reduce(join).unwrap_or(Natural::Unknown)
    }
}

pub(super) fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder
    )
}

/// What two nodes of one type bring together: a type of its own wins, then what hides a fault, then the wider literal.
fn join(a: Natural, b: Natural) -> Natural {
    let rank = |natural: &Natural| match natural {
        Natural::Rigid(_) => 5,
        Natural::Unknown => 4,
        Natural::Array => 3,
        Natural::Decimal => 2,
        Natural::Integer => 1,
        Natural::Null => 0,
    };
    if rank(&b) > rank(&a) { b } else { a }
}

fn address(node: &Expr) -> usize {
    std::ptr::from_ref(node).addr()
}
