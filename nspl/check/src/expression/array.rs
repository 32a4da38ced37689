//! Array literals: `[lit, ...]` of one exact type, nested for axes, where an ARRAY or VEC is expected.

use nspl_model::{DataType, Literal};
use nspl_syntax::Span;
use nspl_syntax::expression::{Expr as Node, ExprKind as Kind};

use super::{Typed, Typer, Want, constant};
use crate::rules;

impl Typer<'_> {
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
fn is_literal(node: &Node) -> bool {
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
