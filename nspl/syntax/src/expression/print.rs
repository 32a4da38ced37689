//! Expressions to text: one line, and only the parentheses that the tree needs. So the text nests no deeper than what it
//! was read from, and stays within the bounds of the reader.

use crate::data_type::DataType;
use crate::expression::{Arm, BinaryOp, Call, Expr, ExprKind, UnaryOp};
use crate::name::Name;
use crate::printer::{Print, Printer, display};

/// Levels of precedence, loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Unary,
    Cast,
    Primary,
}

impl BinaryOp {
    const fn level(self) -> Level {
        match self {
            Self::Or => Level::Or,
            Self::And => Level::And,
            Self::Add | Self::Subtract => Level::Sum,
            Self::Multiply | Self::Divide | Self::Remainder => Level::Product,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual => Level::Comparison,
        }
    }
}

fn level(expression: &Expr) -> Level {
    match &expression.kind {
        ExprKind::Binary { op, .. } => op.level(),
        ExprKind::Unary { op, .. } if op.node == UnaryOp::Not => Level::Not,
        ExprKind::Unary { .. } => Level::Unary,
        ExprKind::Cast { fallible: false, .. } => Level::Cast,
        _ => Level::Primary,
    }
}

/// Prints an operand, in parentheses when it binds looser than `least`.
fn operand(printer: &mut Printer, operand: &Expr, least: Level) {
    if level(operand) < least {
        printer.put("(").node(operand).put(")");
    } else {
        printer.node(operand);
    }
}

fn binary(printer: &mut Printer, op: BinaryOp, left: &Expr, right: &Expr) {
    let own = op.level();
    // A level groups to the left; comparisons do not chain at all.
    let (least_left, least_right) = match own {
        Level::Or => (Level::Or, Level::And),
        Level::And => (Level::And, Level::Not),
        Level::Comparison => (Level::Sum, Level::Sum),
        Level::Sum => (Level::Sum, Level::Product),
        _ => (Level::Product, Level::Unary),
    };
    operand(printer, left, least_left);
    printer.put(" ").put(op.as_str()).put(" ");
    operand(printer, right, least_right);
}

/// A minus directly before a number is part of the literal, and two minuses begin a comment.
fn unary(printer: &mut Printer, op: UnaryOp, inner: &Expr) {
    match op {
        UnaryOp::Not => {
            printer.put("NOT ");
            operand(printer, inner, Level::Not);
        }
        UnaryOp::Negate if begins_with_digit(inner) => _ = printer.put("-(").node(inner).put(")"),
        UnaryOp::Negate => {
            printer.put(if begins_with_minus(inner) { "- " } else { "-" });
            operand(printer, inner, Level::Unary);
        }
    }
}

/// The number literal that the text of an operand of a minus begins with.
fn first_number(inner: &Expr) -> Option<&str> {
    match &inner.kind {
        ExprKind::Number(number) => Some(&number.text),
        ExprKind::Cast {
            operand,
            fallible: false,
            ..
        } => first_number(operand),
        _ => None,
    }
}

fn begins_with_digit(inner: &Expr) -> bool {
    first_number(inner).is_some_and(|number| !number.starts_with('-'))
}

fn begins_with_minus(inner: &Expr) -> bool {
    matches!(&inner.kind, ExprKind::Unary { op, .. } if op.node == UnaryOp::Negate)
        || first_number(inner).is_some()
}

fn case(printer: &mut Printer, selector: Option<&Expr>, arms: &[Arm], otherwise: Option<&Expr>) {
    printer.put("CASE");
    if let Some(selector) = selector {
        printer.put(" ").node(selector);
    }
    for arm in arms {
        printer
            .put(" WHEN ")
            .node(&arm.when)
            .put(" THEN ")
            .node(&arm.then);
    }
    if let Some(otherwise) = otherwise {
        printer.put(" ELSE ").node(otherwise);
    }
    printer.put(" END");
}

impl Print for Call {
    fn print(&self, printer: &mut Printer) {
        printer
            .put(&self.function.text)
            .put("(")
            .list(&self.arguments)
            .put(")");
    }
}

impl Print for Expr {
    fn print(&self, printer: &mut Printer) {
        match &self.kind {
            ExprKind::Null => _ = printer.put("NULL"),
            ExprKind::Bool(value) => _ = printer.put(if *value { "TRUE" } else { "FALSE" }),
            ExprKind::Number(number) => _ = printer.put(&number.text),
            ExprKind::Text(value) => _ = printer.quoted(value),
            ExprKind::Array(elements) => _ = printer.put("[").list(elements).put("]"),
            ExprKind::Path(parts) => path(printer, parts),
            ExprKind::Unary { op, operand } => unary(printer, op.node, operand),
            ExprKind::Binary { op, left, right } => binary(printer, op.node, left, right),
            ExprKind::Cast {
                operand,
                target,
                fallible,
            } => cast(printer, operand, target, *fallible),
            ExprKind::Call(call) => _ = printer.node(call),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => conditional(printer, condition, then, otherwise),
            ExprKind::Case {
                operand,
                arms,
                otherwise,
            } => {
                case(printer, operand.as_deref(), arms, otherwise.as_deref());
            }
            ExprKind::JsonValue {
                document,
                path,
                target,
                fallible,
            } => {
                printer.put(if *fallible {
                    "TRY_JSON_VALUE("
                } else {
                    "JSON_VALUE("
                });
                printer
                    .node(document.as_ref())
                    .put(", ")
                    .node(path)
                    .put(" AS ")
                    .node(target)
                    .put(")");
            }
            ExprKind::JsonExists { document, path } => {
                printer
                    .put("JSON_EXISTS(")
                    .node(document.as_ref())
                    .put(", ")
                    .node(path)
                    .put(")");
            }
        }
    }
}

fn path(printer: &mut Printer, parts: &[Name]) {
    for (index, part) in parts.iter().enumerate() {
        printer.put(if index > 0 { "." } else { "" }).node(part);
    }
}

/// The last AS of TRY_CAST converts its whole argument, so that needs no parentheses.
fn cast(printer: &mut Printer, inner: &Expr, target: &DataType, fallible: bool) {
    if fallible {
        printer
            .put("TRY_CAST(")
            .node(inner)
            .put(" AS ")
            .node(target)
            .put(")");
    } else {
        operand(printer, inner, Level::Cast);
        printer.put(" AS ").node(target);
    }
}

fn conditional(printer: &mut Printer, condition: &Expr, then: &Expr, otherwise: &Expr) {
    printer.put("IF ").node(condition).put(" THEN ").node(then);
    printer.put(" ELSE ").node(otherwise).put(" END");
}

display!(Expr, Call);
