//! From the tree of an expression to a typed one (companion sections 4 and 5, rulings section 5).
//!
//! Types flow both ways: a literal takes the type its place wants, everything else brings its own. What a node would
//! bring is worked out first, once for the whole tree (`naturals`), so that judging stays linear. A node that is
//! refused gives `None`, and whatever holds it says nothing more.

mod array;
mod call;
mod case;
mod cast;
mod environment;
mod json;
mod literal;
mod naturals;
mod operator;
mod record;

use nspl_model::{DataType, Expr, ExprKind, Literal};
use nspl_syntax::expression as tree;
use nspl_syntax::{Span, expression::ExprKind as Kind};

use crate::Diagnostic;
use crate::constant::Folded;
use crate::constant::pattern::Patterns;
use crate::rules;
pub(crate) use array::is_literal;
pub(crate) use environment::{Environment, NO_STATES, Output, Place, Row, States};
use naturals::{Natural, Naturals};
pub(crate) use record::Record;

/// The texts that are worked out for one expression are kept up to this many bytes together, so that calls of a few
/// characters each cannot ask for memory without end; what is past them counts as no constant.
const FOLDED_BYTES_MAX: usize = 1 << 20;

/// A typed node, with its value where that is constant.
pub(crate) struct Typed {
    pub(crate) expr: Expr,
    pub(crate) constant: Option<Literal>,
    pub(crate) span: Span,
}

impl Typed {
    /// Hands its value on to what stands above it. A failure has been reported where it is, and is not handed on.
    fn take(&mut self) -> Folded {
        Ok(self.constant.take())
    }

    /// Its text, where that is constant.
    pub(crate) fn text(&self) -> Option<&str> {
        self.constant.as_ref().and_then(Literal::as_str)
    }
}

/// What the place of a node wants.
#[derive(Clone, Copy)]
enum Want<'t> {
    /// Nothing: the node has to bring its type.
    Nothing,
    /// This exact type.
    Type(&'t DataType),
    /// Something that a fault elsewhere hides; literals without a type stay silent.
    Hidden,
}

/// Judges expressions of one place.
pub(crate) struct Typer<'a> {
    env: &'a Environment<'a>,
    faults: &'a mut Vec<Diagnostic>,
    sites: &'a mut u32,
    patterns: Patterns<'a>,
    naturals: Naturals,
    /// Above 0 inside of what may not be reached: constants that fail are accepted there.
    excused: u32,
    /// Bytes of the texts that were worked out.
    folded_bytes: usize,
}

impl<'a> Typer<'a> {
    /// `sites` counts the volatile calls of one definition over all its expressions.
    pub(crate) fn new(
        env: &'a Environment<'a>,
        faults: &'a mut Vec<Diagnostic>,
        sites: &'a mut u32,
        patterns: Patterns<'a>,
    ) -> Typer<'a> {
        Typer {
            env,
            faults,
            sites,
            patterns,
            naturals: Naturals::default(),
            excused: 0,
            folded_bytes: 0,
        }
    }

    /// A condition: exactly BOOL, null allowed. `what` names it, as in "a source's WHERE".
    pub(crate) fn condition(mut self, node: &tree::Expr, what: &str) -> Option<Typed> {
        self.naturals = Naturals::of(node, self.env);
        let typed = self.typed(node, Want::Type(&DataType::Bool))?;
        self.expect(typed, &DataType::Bool, what)
    }

    /// A value of an exact type for `what`; nullability and sensitivity are the caller's to judge.
    pub(crate) fn value(mut self, node: &tree::Expr, of: &DataType, what: &str) -> Option<Typed> {
        self.naturals = Naturals::of(node, self.env);
        let typed = self.typed(node, Want::Type(of))?;
        self.expect(typed, of, what)
    }

    /// A value of whatever type it brings; `preferred` is what literals take where several types would do.
    pub(crate) fn free(mut self, node: &tree::Expr, preferred: Option<&DataType>) -> Option<Typed> {
        self.naturals = Naturals::of(node, self.env);
        self.typed(node, preferred.map_or(Want::Nothing, Want::Type))
    }

    /// A node whose target is unknown because of another fault: only what is wrong by itself is reported.
    pub(crate) fn anything(mut self, node: &tree::Expr) {
        self.naturals = Naturals::of(node, self.env);
        drop(self.typed(node, Want::Hidden));
    }

    fn typed(&mut self, node: &tree::Expr, want: Want<'_>) -> Option<Typed> {
        nspl_model::deep(|| self.typed_here(node, want))
    }

    fn typed_here(&mut self, node: &tree::Expr, want: Want<'_>) -> Option<Typed> {
        match &node.kind {
            Kind::Null => self.null(node.span, want),
            Kind::Bool(value) => Some(constant(node.span, DataType::Bool, Literal::Bool(*value))),
            Kind::Number(number) => self.number(number, node.span, want),
            Kind::Text(text) => Some(constant(
                node.span,
                DataType::String,
                Literal::String(text.clone()),
            )),
            Kind::Array(elements) => self.array(elements, node.span, want),
            Kind::Path(path) => self.path(path, node.span),
            Kind::Unary { op, operand } => self.unary(op.node, operand, node.span, want),
            Kind::Binary { op, left, right } => self.binary(op, (left, right), node.span, want),
            Kind::Cast {
                operand,
                target,
                fallible,
            } => self.cast(operand, target, *fallible, node.span),
            Kind::Call(call) => self.call(call, want),
            Kind::If {
                condition,
                then,
                otherwise,
            } => self.choice(condition, (then, otherwise), node.span, want),
            Kind::Case {
                operand,
                arms,
                otherwise,
            } => self.case((operand.as_deref(), arms, otherwise.as_deref()), node.span, want),
            Kind::JsonValue {
                document,
                path,
                target,
                fallible,
            } => self.json_value((document, path), (target, *fallible), node.span),
            Kind::JsonExists { document, path } => self.json_exists(document, path, node.span),
        }
    }

    fn path(&mut self, path: &[nspl_syntax::Name], span: Span) -> Option<Typed> {
        match self.env.find(path, span) {
            Ok(found) => {
                let kind = ExprKind::Field(found.field_ref);
                let expr = Expr {
                    data_type: found.data_type,
                    nullable: found.nullable,
                    sensitive: found.sensitive,
                    kind,
                };
                Some(Typed {
                    expr,
                    constant: None,
                    span,
                })
            }
            Err(fault) => {
                self.faults.extend(fault.map(|fault| *fault));
                None
            }
        }
    }

    /// Refuses a type that the place does not take.
    fn expect(&mut self, typed: Typed, of: &DataType, what: &str) -> Option<Typed> {
        if typed.expr.data_type == *of {
            return Some(typed);
        }
        self.faults.push(rules::wrong_type::fault(
            typed.span,
            what,
            of,
            &typed.expr.data_type,
        ));
        None
    }

    /// The value of an operation on constants; a failure is reported unless the place may not be reached.
    fn fold(&mut self, span: Span, outcome: Folded) -> Option<Literal> {
        match outcome {
            Ok(Some(Literal::String(text))) => {
                self.folded_bytes += text.len();
                (self.folded_bytes <= FOLDED_BYTES_MAX).then_some(Literal::String(text))
            }
            Ok(value) => value,
            Err(failure) => {
                if self.excused == 0 {
                    self.faults.push(rules::always_fails::fault(span, &failure));
                }
                None
            }
        }
    }

    fn excusing<T>(&mut self, judge: impl FnOnce(&mut Self) -> T) -> T {
        self.excused += 1;
        let outcome = judge(self);
        self.excused -= 1;
        outcome
    }

    /// What a group of nodes of one type has in common, as the wish for each of them; `default` for literals alone.
    fn common<'t>(&self, natural: &'t Natural, want: Want<'t>) -> Want<'t> {
        match natural {
            Natural::Rigid(data_type) => Want::Type(data_type),
            Natural::Unknown => Want::Hidden,
            Natural::Integer if matches!(want, Want::Nothing) => Want::Type(&DataType::I64),
            Natural::Decimal if matches!(want, Want::Nothing) => Want::Type(&DataType::F64),
            Natural::Integer | Natural::Decimal | Natural::Null | Natural::Array => want,
        }
    }
}

fn constant(span: Span, data_type: DataType, literal: Literal) -> Typed {
    let kind = ExprKind::Literal(literal.clone());
    let expr = Expr {
        data_type,
        nullable: literal.is_null(),
        sensitive: false,
        kind,
    };
    Typed {
        expr,
        constant: Some(literal),
        span,
    }
}

#[cfg(test)]
mod tests;
