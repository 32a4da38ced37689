//! The grammar of expressions, one rule per level of precedence, tight to loose: primary; `AS TYPE`; unary minus;
//! `* / %`; `+ -`; comparison, which does not chain; NOT; AND; OR (rulings section 2).

use chumsky::prelude::{IterParser, Parser, choice, custom, recursive};

use crate::data_type;
use crate::expression::{Arm, BinaryOp, Call, Expr, ExprKind, Number, SCOPES, UnaryOp, call};
use crate::grammar::{EXPRESSION, HIDDEN, OPERATOR, Rule, accept, failure, keyword, keyword_as, located};
use crate::grammar::{Extra, Input, quiet_symbol, symbol};
use crate::name::Name;
use crate::span::{Span, Spanned};
use crate::token::{Token, TokenKind};

/// The words that are no bare names in expressions.
const RESERVED: [&str; 13] = [
    "IF", "CASE", "WHEN", "THEN", "ELSE", "END", "AND", "OR", "NOT", "AS", "TRUE", "FALSE", "NULL",
];

/// Whether a word is reserved in expressions.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED
        .iter()
        .any(|reserved| reserved.eq_ignore_ascii_case(word))
}

/// Any expression.
pub(crate) fn rule<'t>() -> Rule<'t, Expr> {
    recursive(|whole| {
        let whole: Rule<'t, Expr> = whole.boxed();
        let product = operators(
            unary(cast(primary(&whole))),
            &[BinaryOp::Multiply, BinaryOp::Divide, BinaryOp::Remainder],
        );
        let sum = operators(product, &[BinaryOp::Add, BinaryOp::Subtract]);
        let negation = prefixes(keyword_as("NOT", HIDDEN), UnaryOp::Not, comparison(sum));
        let conjunction = operators(negation, &[BinaryOp::And]);
        operators(conjunction, &[BinaryOp::Or])
    })
    .boxed()
}

/// A constant that CONFIG takes: a string, a number, TRUE or FALSE.
pub(crate) fn literal<'t>() -> Rule<'t, Expr> {
    let constant = choice((constant(), negative_number()));
    constant
        .filter(|found| !matches!(found.kind, ExprKind::Null))
        .labelled("a string, a number, TRUE or FALSE")
        .boxed()
}

/// Left-associative infix operators of one level.
fn operators<'t>(operand: Rule<'t, Expr>, ops: &'static [BinaryOp]) -> Rule<'t, Expr> {
    let op = accept(OPERATOR, move |token| infix(token, ops));
    operand
        .clone()
        .foldl(op.then(operand).repeated(), |left, (op, right)| {
            let span = left.span.to(right.span);
            Expr {
                kind: ExprKind::Binary {
                    op,
                    left: Box::new(left),
                    right: Box::new(right),
                },
                span,
            }
        })
        .boxed()
}

fn infix(token: Token<'_>, ops: &[BinaryOp]) -> Option<Spanned<BinaryOp>> {
    let op = ops.iter().find(|op| match token.kind {
        TokenKind::Word => token.is_word(op.as_str()),
        // `<>` reads as `!=`.
        TokenKind::Symbol => token.text == op.as_str() || (**op == BinaryOp::NotEqual && token.text == "<>"),
        _ => false,
    })?;
    Some(Spanned::new(*op, token.span))
}

/// At most one comparison, or IS [NOT] NULL.
fn comparison<'t>(operand: Rule<'t, Expr>) -> Rule<'t, Expr> {
    const COMPARISONS: &[BinaryOp] = &[
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessOrEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterOrEqual,
    ];
    enum Tail {
        Compare(Spanned<BinaryOp>, Expr),
        IsNull { negated: bool, span: Span },
    }
    let op = accept(OPERATOR, |token| infix(token, COMPARISONS));
    let compare = op
        .then(operand.clone())
        .map(|(op, right)| Tail::Compare(op, right))
        .boxed();
    let is_null = keyword_as("IS", HIDDEN)
        .ignore_then(keyword("NOT").or_not())
        .then_ignore(keyword("NULL"));
    let is_null = located(is_null, |not, span| Tail::IsNull {
        negated: not.is_some(),
        span,
    });
    operand
        .then(choice((compare, is_null)).or_not())
        .map(|(left, tail)| match tail {
            None => left,
            Some(Tail::Compare(op, right)) => {
                let span = left.span.to(right.span);
                Expr {
                    kind: ExprKind::Binary {
                        op,
                        left: Box::new(left),
                        right: Box::new(right),
                    },
                    span,
                }
            }
            Some(Tail::IsNull { negated, span: tail }) => {
                let span = left.span.to(tail);
                let function = Name {
                    text: "is_null".to_owned(),
                    span: tail,
                };
                let call = Expr {
                    kind: ExprKind::Call(Call {
                        function,
                        arguments: vec![left],
                        span,
                    }),
                    span,
                };
                if negated {
                    prefixed(Spanned::new(UnaryOp::Not, tail), call)
                } else {
                    call
                }
            }
        })
        .boxed()
}

fn prefixed(op: Spanned<UnaryOp>, operand: Expr) -> Expr {
    let span = op.span.to(operand.span);
    Expr {
        kind: ExprKind::Unary {
            op,
            operand: Box::new(operand),
        },
        span,
    }
}

fn prefixes<'t>(op: Rule<'t, Span>, kind: UnaryOp, operand: Rule<'t, Expr>) -> Rule<'t, Expr> {
    op.repeated()
        .foldr(operand, move |span, operand| {
            prefixed(Spanned::new(kind, span), operand)
        })
        .boxed()
}

/// A minus that is not directly before a number: that one belongs to the literal.
fn unary<'t>(operand: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let minus = custom::<_, Input<'t>, _, Extra>(|input| {
        let next = input.peek();
        let minus = next.filter(|next| input.state().is_symbol(*next, "-"));
        let Some(minus) = minus else {
            return Err(failure(HIDDEN, next, input));
        };
        let before = input.save();
        input.skip();
        match input.peek() {
            Some(behind) if behind.kind == TokenKind::Number => {
                input.rewind(before);
                Err(failure(HIDDEN, next, input))
            }
            _ => Ok(minus.span),
        }
    });
    prefixes(minus.boxed(), UnaryOp::Negate, operand)
}

fn cast<'t>(operand: Rule<'t, Expr>) -> Rule<'t, Expr> {
    operand
        .foldl(
            keyword("AS").ignore_then(data_type::rule()).repeated(),
            |operand, target| {
                let span = operand.span.to(target.span);
                Expr {
                    kind: ExprKind::Cast {
                        operand: Box::new(operand),
                        target,
                        fallible: false,
                    },
                    span,
                }
            },
        )
        .boxed()
}

fn primary<'t>(whole: &Rule<'t, Expr>) -> Rule<'t, Expr> {
    let call = call::rule(whole)
        .map(|call| Expr {
            span: call.span,
            kind: ExprKind::Call(call),
        })
        .boxed();
    let grouped = whole.clone().delimited_by(symbol("("), symbol(")")).boxed();
    let elements = whole
        .clone()
        .separated_by(symbol(","))
        .collect()
        .delimited_by(symbol("["), symbol("]"));
    let array = located(elements, |elements, span| Expr {
        kind: ExprKind::Array(elements),
        span,
    });
    let forms = (
        conditional(whole),
        case(whole),
        call::special(whole),
        call,
        constant(),
        path(),
        negative_number(),
        grouped,
        array,
    );
    choice(forms).labelled(EXPRESSION).boxed()
}

/// Literals of one token.
fn constant<'t>() -> Rule<'t, Expr> {
    accept(HIDDEN, |token| {
        let kind = match token.kind {
            TokenKind::Number => ExprKind::Number(Number {
                text: token.text.to_owned(),
            }),
            TokenKind::Text => ExprKind::Text(token.unquoted()),
            TokenKind::Word if token.is_word("TRUE") => ExprKind::Bool(true),
            TokenKind::Word if token.is_word("FALSE") => ExprKind::Bool(false),
            TokenKind::Word if token.is_word("NULL") => ExprKind::Null,
            _ => return None,
        };
        Some(Expr {
            kind,
            span: token.span,
        })
    })
}

fn negative_number<'t>() -> Rule<'t, Expr> {
    let number = accept(HIDDEN, |token| {
        (token.kind == TokenKind::Number).then(|| token.text.to_owned())
    });
    located(quiet_symbol("-").ignore_then(number), |digits, span| Expr {
        kind: ExprKind::Number(Number {
            text: format!("-{digits}"),
        }),
        span,
    })
}

/// A bare or dotted name.
fn path<'t>() -> Rule<'t, Expr> {
    let first = accept(HIDDEN, |token| {
        let free = token.kind == TokenKind::Word && !is_reserved(token.text);
        free.then(|| Name {
            text: token.text.to_owned(),
            span: token.span,
        })
    });
    let part = quiet_symbol(".").ignore_then(crate::grammar::name("a field name"));
    let parts = first.then(part.repeated().at_most(2).collect::<Vec<_>>());
    located(parts, |(mut first, rest), span| {
        if let Some(scope) = SCOPES
            .iter()
            .find(|scope| !rest.is_empty() && scope.eq_ignore_ascii_case(&first.text))
        {
            first.text = (*scope).to_owned();
        }
        let mut parts = vec![first];
        parts.extend(rest);
        Expr {
            kind: ExprKind::Path(parts),
            span,
        }
    })
}

fn conditional<'t>(whole: &Rule<'t, Expr>) -> Rule<'t, Expr> {
    let condition = keyword_as("IF", HIDDEN).ignore_then(whole.clone());
    let then = keyword("THEN").ignore_then(whole.clone());
    let otherwise = keyword("ELSE").ignore_then(whole.clone());
    located(
        condition.then(then).then(otherwise).then_ignore(keyword("END")),
        |((condition, then), otherwise), span| {
            let kind = ExprKind::If {
                condition: Box::new(condition),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            };
            Expr { kind, span }
        },
    )
}

fn case<'t>(whole: &Rule<'t, Expr>) -> Rule<'t, Expr> {
    let when = keyword("WHEN").ignore_then(whole.clone());
    let arm = when
        .then(keyword("THEN").ignore_then(whole.clone()))
        .map(|(when, then)| Arm { when, then })
        .boxed();
    let arms = arm.repeated().at_least(1).collect::<Vec<_>>();
    let otherwise = keyword("ELSE").ignore_then(whole.clone()).or_not();
    let parts = keyword_as("CASE", HIDDEN)
        .ignore_then(whole.clone().or_not())
        .then(arms)
        .then(otherwise);
    located(
        parts.then_ignore(keyword("END")),
        |((operand, arms), otherwise), span| {
            let kind = ExprKind::Case {
                operand: operand.map(Box::new),
                arms,
                otherwise: otherwise.map(Box::new),
            };
            Expr { kind, span }
        },
    )
}
