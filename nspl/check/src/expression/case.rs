//! IF and CASE: all arms one exact type; what is not reached does not count.

use nspl_model::{DataType, Expr, ExprKind};
use nspl_syntax::Span;
use nspl_syntax::expression::{Arm, Expr as Node};

use super::naturals::Natural;
use super::{Typed, Typer, Want};
use crate::constant::node;
use crate::rules;

impl Typer<'_> {
    pub(super) fn choice(
        &mut self,
        condition: &Node,
        arms: (&Node, &Node),
        span: Span,
        want: Want<'_>,
    ) -> Option<Typed> {
        let condition = self.bool_condition(condition, "the condition of IF");
        let joined = self.naturals.join([arms.0, arms.1]);
        let values = self.arm_values(&[arms.0, arms.1], &joined, want);
        let condition = condition?;
        let [then, otherwise]: [Typed; 2] = values?.try_into().ok()?;
        Some(self.assemble(None, vec![(condition, then)], Some(otherwise), span))
    }

    pub(super) fn case(
        &mut self,
        case: (Option<&Node>, &[Arm], Option<&Node>),
        span: Span,
        want: Want<'_>,
    ) -> Option<Typed> {
        let (operand, arms, otherwise) = case;
        let heads = match operand {
            Some(operand) => self
                .simple_heads(operand, arms)
                .map(|(operand, whens)| (Some(operand), whens)),
            None => self.searched_heads(arms).map(|whens| (None, whens)),
        };
        let values: Vec<&Node> = arms.iter().map(|arm| &arm.then).chain(otherwise).collect();
        let joined = self.naturals.join(values.iter().copied());
        let values = self.arm_values(&values, &joined, want);
        let ((operand, whens), mut values) = (heads?, values?);
        let otherwise = if otherwise.is_some() { values.pop() } else { None };
        Some(self.assemble(operand, whens.into_iter().zip(values).collect(), otherwise, span))
    }

    fn bool_condition(&mut self, node: &Node, what: &str) -> Option<Typed> {
        let typed = self.typed(node, Want::Type(&DataType::Bool))?;
        self.expect(typed, &DataType::Bool, what)
    }

    fn searched_heads(&mut self, arms: &[Arm]) -> Option<Vec<Typed>> {
        let mut whens = Vec::new();
        for (index, arm) in arms.iter().enumerate() {
            let judge = |typer: &mut Self| typer.bool_condition(&arm.when, "WHEN");
            whens.push(if index == 0 {
                judge(self)
            } else {
                self.excusing(judge)
            });
        }
        whens.into_iter().collect()
    }

    fn simple_heads(&mut self, operand: &Node, arms: &[Arm]) -> Option<(Typed, Vec<Typed>)> {
        let joined = self
            .naturals
            .join(std::iter::once(operand).chain(arms.iter().map(|arm| &arm.when)));
        let wish = match &joined {
            Natural::Decimal => Want::Type(&DataType::F64),
            Natural::Integer => Want::Type(&DataType::I64),
            other => self.common(other, Want::Nothing),
        };
        let operand = self.typed(operand, wish);
        let mut whens = Vec::new();
        for (index, arm) in arms.iter().enumerate() {
            let judge = |typer: &mut Self| typer.typed(&arm.when, wish);
            whens.push(if index == 0 {
                judge(self)
            } else {
                self.excusing(judge)
            });
        }
        let (operand, whens) = (operand?, whens.into_iter().collect::<Option<Vec<Typed>>>()?);
        if !operand.expr.data_type.is_comparable() {
            self.faults.push(rules::operator_type::fault(
                operand.span,
                "CASE",
                &operand.expr.data_type,
            ));
            return None;
        }
        self.all_alike(std::iter::once(&operand).chain(&whens), "CASE and its WHEN")?;
        Some((operand, whens))
    }

    fn arm_values(&mut self, nodes: &[&Node], joined: &Natural, want: Want<'_>) -> Option<Vec<Typed>> {
        let wish = self.common(joined, want);
        let typed: Vec<Option<Typed>> = nodes
            .iter()
            .map(|node| self.excusing(|typer| typer.typed(node, wish)))
            .collect();
        let typed = typed.into_iter().collect::<Option<Vec<Typed>>>()?;
        self.all_alike(&typed, "the arms")?;
        Some(typed)
    }

    /// Refuses nodes of differing types, at the first that differs from the first of all.
    pub(super) fn all_alike<'t>(
        &mut self,
        nodes: impl IntoIterator<Item = &'t Typed>,
        what: &str,
    ) -> Option<()> {
        let mut nodes = nodes.into_iter();
        let first = nodes.next()?;
        match nodes.find(|node| node.expr.data_type != first.expr.data_type) {
            None => Some(()),
            Some(other) => {
                self.faults
                    .push(rules::operand_types::differing(what, first, other));
                None
            }
        }
    }

    fn assemble(
        &mut self,
        mut operand: Option<Typed>,
        mut arms: Vec<(Typed, Typed)>,
        mut otherwise: Option<Typed>,
        span: Span,
    ) -> Typed {
        let outcome = node::case(
            operand.as_mut().map(Typed::take),
            arms.iter_mut().map(|(when, then)| (when.take(), then.take())),
            otherwise.as_mut().map(Typed::take),
        );
        let constant = self.fold(span, outcome);
        let values = || arms.iter().map(|(_, then)| then).chain(&otherwise);
        let all = || values().chain(arms.iter().map(|(when, _)| when)).chain(&operand);
        let data_type = values()
            .next()
            .map_or(DataType::Bool, |value| value.expr.data_type.clone());
        let nullable = otherwise.is_none() || values().any(|value| value.expr.nullable);
        let sensitive = all().any(|node| node.expr.sensitive);
        let kind = ExprKind::Case {
            operand: operand.map(|operand| Box::new(operand.expr)),
            arms: arms
                .into_iter()
                .map(|(when, then)| (when.expr, then.expr))
                .collect(),
            otherwise: otherwise.map(|value| Box::new(value.expr)),
        };
        Typed {
            expr: Expr {
                data_type,
                nullable,
                sensitive,
                kind,
            },
            constant,
            span,
        }
    }
}
