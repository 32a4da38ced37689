//! Expressions (companion section 4, rulings section 2): untyped trees with a span on every node and name.
//!
//! Parentheses are not kept: the printer writes those that the tree needs. A minus directly before a number is part
//! of the literal. `<>` reads as `!=`, `IS [NOT] NULL` as a call of `is_null`.

pub(crate) mod call;
mod grammar;
mod print;
#[cfg(test)]
mod tests;

use crate::data_type::DataType;
use crate::name::{Name, Text};
use crate::span::{Span, Spanned};

pub(crate) use self::grammar::{is_reserved, literal, rule};

/// The scopes that may lead a dotted name.
pub const SCOPES: [&str; 7] = [
    "input",
    "output",
    "message",
    "branch",
    "relay_state",
    "error",
    "partial_output",
];

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, its own parentheses left out.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// `NULL`
    Null,
    /// `TRUE` or `FALSE`
    Bool(bool),
    /// A number as written: `12`, `-1.5`, `1e9`.
    Number(Number),
    /// A string literal.
    Text(String),
    /// `[a, b]`; that the elements are constants is the checker's rule.
    Array(Vec<Expr>),
    /// A bare or dotted name of one to three parts: `f`, `input.f`, `relay_state.r.f`. A first part that names a
    /// scope is in lower case.
    Path(Vec<Name>),
    /// A prefix operator and its operand.
    Unary {
        /// The operator.
        op: Spanned<UnaryOp>,
        /// What it applies to.
        operand: Box<Expr>,
    },
    /// An infix operator and its operands.
    Binary {
        /// The operator.
        op: Spanned<BinaryOp>,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `operand AS T` (fallible false) or `TRY_CAST(operand AS T)` (fallible true).
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// The type wanted.
        target: DataType,
        /// Whether a conversion that does not fit gives null.
        fallible: bool,
    },
    /// A function call; the name is in lower case.
    Call(Call),
    /// `IF c THEN a ELSE b END`
    If {
        /// The condition.
        condition: Box<Expr>,
        /// The value when it holds.
        then: Box<Expr>,
        /// The value when it does not hold or is null.
        otherwise: Box<Expr>,
    },
    /// A searched CASE (no operand) or a simple one.
    Case {
        /// The value the arms compare with.
        operand: Option<Box<Expr>>,
        /// The arms as written, at least one.
        arms: Vec<Arm>,
        /// The value of ELSE.
        otherwise: Option<Box<Expr>>,
    },
    /// `JSON_VALUE(document, 'path' AS T)` or, fallible, `TRY_JSON_VALUE`.
    JsonValue {
        /// The text that holds JSON.
        document: Box<Expr>,
        /// The path as written.
        path: Text,
        /// The type wanted.
        target: DataType,
        /// Whether a failure gives null.
        fallible: bool,
    },
    /// `JSON_EXISTS(document, 'path')`
    JsonExists {
        /// The text that holds JSON.
        document: Box<Expr>,
        /// The path as written.
        path: Text,
    },
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The function, in lower case.
    pub function: Name,
    /// Its arguments in order.
    pub arguments: Vec<Expr>,
    /// Where the whole call stands.
    pub span: Span,
}

/// `WHEN w THEN t`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arm {
    /// The condition, or the value compared with the operand.
    pub when: Expr,
    /// The value of the arm.
    pub then: Expr,
}

/// A number literal as written, with its sign.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    /// The digits, `-` first where it is negative.
    pub text: String,
}

impl Number {
    /// Whether a point or an exponent makes it a decimal.
    #[must_use]
    pub fn is_decimal(&self) -> bool {
        self.text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }
}

/// The prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `NOT`
    Not,
}

/// The infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `AND`
    And,
    /// `OR`
    Or,
}

impl BinaryOp {
    /// Every infix operator.
    pub const ALL: [Self; 13] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::And,
        Self::Or,
    ];

    /// The canonical spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::And => "AND",
            Self::Or => "OR",
        }
    }
}
