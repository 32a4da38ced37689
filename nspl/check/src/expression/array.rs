//! Array literals: `[lit, ...]` of one exact type, nested for axes, where an ARRAY or VEC is expected.

use nspl_model::{DataType, Literal};
use nspl_syntax::Span;
use nspl_syntax::expression::{Expr as Node, ExprKind as Kind};

use super::naturals::{Natural, Naturals};
use super::{Typed, Typer, Want, constant};
use crate::rules;

impl Typer<'_> {
    /// A literal, or an array literal as the VEC of what its elements have in common; an empty one is of STRING.
    pub(crate) fn literal(mut self, node: &Node) -> Option<Typed> {
        self.naturals = Naturals::of(node, self.env);
        let Kind::Array(elements) = &node.kind else {
            return self.typed(node, Want::Nothing);
        };
        let element = match self.naturals.join(elements) {
            Natural::Rigid(data_type) => data_type,
            Natural::Integer => DataType::I64,
            Natural::Decimal => DataType::F64,
            Natural::Array => {
                self.faults.push(rules::array::nested(node.span));
                return None;
            }
            Natural::Null | Natural::Unknown => DataType::String,
        };
        self.array(elements, node.span, Want::Type(&DataType::Vec(Box::new(element))))
    }

    pub(super) fn array(&mut self, elements: &[Node], span: Span, want: Want<'_>) -> Option<Typed> {
        let wanted = match want {
            Want::Type(data_type) => data_type,
            Want::Hidden => return None,
            Want::Nothing => {
                self.faults.push(rules::array::nowhere(span));
                return None;
            }
        };
        let Some(element) = wanted.element() else {
            self.faults.push(rules::array::not_wanted(span, wanted));
            return None;
        };
        if let DataType::Array(_, axes) = wanted
            && axes.first().is_some_and(|axis| *axis as usize != elements.len())
        {
            self.faults
                .push(rules::array::length(span, wanted, elements.len()));
            return None;
        }
        let values: Vec<Option<Literal>> = elements.iter().map(|node| self.element(node, &element)).collect();
        let values = values.into_iter().collect::<Option<Vec<Literal>>>()?;
        Some(constant(span, wanted.clone(), Literal::List(values)))
    }

    fn element(&mut self, node: &Node, of: &DataType) -> Option<Literal> {
        if !is_literal(node) {
            self.faults.push(rules::array::element(node.span));
            return None;
        }
        let typed = self.typed(node, Want::Type(of))?;
        self.expect(typed, of, "an element")?.constant
    }
}

/// Literals, and the constants that stand for literals of DATETIME and BYTES. NULL is no element: elements are never
/// null.
pub(crate) fn is_literal(node: &Node) -> bool {
    match &node.kind {
        Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Array(_) => true,
        Kind::Cast {
            operand,
            fallible: false,
            ..
        } => matches!(operand.kind, Kind::Text(_) | Kind::Number(_)),
        _ => false,
    }
}
