//! Calls: ordinary functions, and the forms whose arguments hold a type or a path (TRY_CAST, JSON_VALUE,
//! TRY_JSON_VALUE, JSON_EXISTS). Those are special only directly before a parenthesis.

use chumsky::prelude::{IterParser, Parser, choice};

use crate::data_type::{self, DataType};
use crate::expression::{Call, Expr, ExprKind, is_reserved};
use crate::grammar::{HIDDEN, Rule, accept, keyword, keyword_as, located, quiet_symbol, symbol, text};
use crate::name::Name;
use crate::token::TokenKind;

/// The functions with a grammar of their own.
const SPECIAL: [&str; 4] = ["TRY_CAST", "JSON_VALUE", "TRY_JSON_VALUE", "JSON_EXISTS"];

/// `function(argument, ...)`
pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Call> {
    let function = accept("a function call", |token| {
        let special = SPECIAL.iter().any(|special| token.is_word(special));
        let free = token.kind == TokenKind::Word && !special && !is_reserved(token.text);
        free.then(|| Name {
            text: token.text.to_ascii_lowercase(),
            span: token.span,
        })
    });
    let arguments = expression.clone().separated_by(symbol(",")).collect();
    let arguments = arguments.delimited_by(quiet_symbol("("), symbol(")"));
    located(function.then(arguments), |(function, arguments), span| Call {
        function,
        arguments,
        span,
    })
}

/// The calls with a type or a path among their arguments.
pub(super) fn special<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Expr> {
    choice((
        try_cast(expression),
        json_value("JSON_VALUE", false, expression),
        json_value("TRY_JSON_VALUE", true, expression),
        json_exists(expression),
    ))
    .boxed()
}

/// `TRY_CAST(expr AS TYPE)`: the last AS belongs to TRY_CAST and converts the whole argument, as in SQL. Any expression
/// takes that AS up as well, so the argument is read as one expression and its last cast is taken off again.
fn try_cast<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Expr> {
    let argument = located(expression.clone(), |argument, span| (argument, span.end));
    let argument = argument.filter(|(argument, end)| ends_with_cast(argument, *end));
    let argument = argument.labelled("an expression with AS and a type").boxed();
    let argument = argument.delimited_by(quiet_symbol("("), symbol(")"));
    located(
        keyword_as("TRY_CAST", HIDDEN).ignore_then(argument),
        |(mut argument, _), span| {
            let target = take_last_cast(&mut argument);
            let kind = match target {
                Some(target) => ExprKind::Cast {
                    operand: Box::new(argument),
                    target,
                    fallible: true,
                },
                None => argument.kind,
            };
            Expr { kind, span }
        },
    )
}

/// The operand that stands last in the text of an expression.
fn last_operand(expression: &mut Expr) -> Option<&mut Expr> {
    match &mut expression.kind {
        ExprKind::Binary { right, .. } => Some(right),
        ExprKind::Unary { operand, .. } => Some(operand),
        _ => None,
    }
}

/// Whether the text of an expression ends, at `end`, with an AS outside of parentheses.
fn ends_with_cast(expression: &Expr, end: usize) -> bool {
    match &expression.kind {
        ExprKind::Cast { fallible: false, .. } => expression.span.end == end,
        ExprKind::Binary { right: last, .. } | ExprKind::Unary { operand: last, .. } => {
            ends_with_cast(last, end)
        }
        _ => false,
    }
}

/// Takes the last AS off an expression and returns its type.
fn take_last_cast(expression: &mut Expr) -> Option<DataType> {
    if let ExprKind::Cast { fallible: false, .. } = &expression.kind {
        let ExprKind::Cast { operand, target, .. } = std::mem::replace(&mut expression.kind, ExprKind::Null)
        else {
            return None;
        };
        *expression = *operand;
        return Some(target);
    }
    let last = last_operand(expression)?;
    let target = take_last_cast(last)?;
    expression.span.end = last.span.end;
    Some(target)
}

fn json_value<'t>(word: &'static str, fallible: bool, expression: &Rule<'t, Expr>) -> Rule<'t, Expr> {
    let path = text("a quoted JSON path such as '$.name'");
    let target = keyword("AS").ignore_then(data_type::rule());
    let arguments = expression
        .clone()
        .then_ignore(symbol(","))
        .then(path)
        .then(target);
    let arguments = arguments.delimited_by(quiet_symbol("("), symbol(")"));
    located(
        keyword_as(word, HIDDEN).ignore_then(arguments),
        move |((document, path), target), span| Expr {
            kind: ExprKind::JsonValue {
                document: Box::new(document),
                path,
                target,
                fallible,
            },
            span,
        },
    )
}

fn json_exists<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Expr> {
    let path = text("a quoted JSON path such as '$.name'");
    let arguments = expression.clone().then_ignore(symbol(",")).then(path);
    let arguments = arguments.delimited_by(quiet_symbol("("), symbol(")"));
    located(
        keyword_as("JSON_EXISTS", HIDDEN).ignore_then(arguments),
        |(document, path), span| Expr {
            kind: ExprKind::JsonExists {
                document: Box::new(document),
                path,
            },
            span,
        },
    )
}
