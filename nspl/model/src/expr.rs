//! Typed expressions: every name resolved, every type exact, every nullability known (companion sections 4 and 5,
//! rulings sections 5 and 6). Evaluation is the business of the data plane.

use std::fmt;

use crate::{DataType, Function, JsonPath, Literal};

/// One node of a typed expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Exact type of the value.
    pub data_type: DataType,
    /// Whether the value may be null.
    pub nullable: bool,
    /// Whether the value carries something sensitive; `leak_sensitive` clears it.
    pub sensitive: bool,
    /// What computes it.
    pub kind: ExprKind,
}

/// What computes a value.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A constant.
    Literal(Literal),
    /// A column of a scope.
    Field(FieldRef),
    /// Unary minus.
    Negate(Box<Expr>),
    /// Three-valued NOT.
    Not(Box<Expr>),
    /// An operator between two values; both sides have one exact type, which for comparisons is not that of the result.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `e AS T` and `TRY_CAST(e AS T)`; the target is the type of the node.
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// What an impossible conversion does.
        on_error: CastError,
    },
    /// A function.
    Call {
        /// Which one.
        function: Function,
        /// Judged by its signature.
        args: Vec<Expr>,
        /// Ordinal of this volatile call in the text of its definition; 0 for all others.
        site: u32,
    },
    /// Both forms of CASE, and IF as a CASE of one arm without operand.
    Case {
        /// The operand of a simple CASE; WHEN parts then have its type, else BOOL.
        operand: Option<Box<Expr>>,
        /// (WHEN, THEN), never empty.
        arms: Vec<(Expr, Expr)>,
        /// ELSE; a typed null when left out.
        otherwise: Option<Box<Expr>>,
    },
    /// `JSON_VALUE` and `TRY_JSON_VALUE`; the target is the type of the node.
    JsonValue {
        /// The STRING that holds the document.
        document: Box<Expr>,
        /// Where to look.
        path: JsonPath,
        /// What text that is no JSON, or a value of another type, does.
        on_error: CastError,
    },
    /// `JSON_EXISTS`.
    JsonExists {
        /// The STRING that holds the document.
        document: Box<Expr>,
        /// Where to look.
        path: JsonPath,
    },
}

/// A resolved column.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FieldRef {
    /// Whose column.
    pub scope: Scope,
    /// Its name, as error.fields reports it.
    pub name: String,
    /// Its position in the scope's schema.
    pub index: usize,
}

/// As it is read in an expression: `input.id`.
impl fmt::Display for FieldRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scope {
            Scope::Input => write!(f, "input.{}", self.name),
            Scope::Output => write!(f, "output.{}", self.name),
            Scope::RelayState { relay } => write!(f, "relay_state.{relay}.{}", self.name),
            Scope::Error => write!(f, "error.{}", self.name),
            Scope::PartialOutput => write!(f, "partial_output.{}", self.name),
        }
    }
}

/// What a column belongs to; `message.` and bare names are resolved to `Input` or `Output`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// The source row.
    Input,
    /// The record under construction, or the finished one in a route's WHERE and branch keys.
    Output,
    /// The materialized state of a relay that the emitter depends on.
    RelayState {
        /// Name of the relay.
        relay: String,
    },
    /// The columns of `record_error::error_schema`; error routes only.
    Error,
    /// What was constructed when the record failed; error routes only, always nullable.
    PartialOutput,
}

/// Operators between two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    /// Three-valued AND.
    And,
    /// Three-valued OR.
    Or,
}

impl BinaryOp {
    /// Its spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::Equal => "=",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessOrEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterOrEqual => ">=",
            BinaryOp::And => "AND",
            BinaryOp::Or => "OR",
        }
    }

    /// `+ - * / %`
    pub fn is_arithmetic(self) -> bool {
        matches!(
            self,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder
        )
    }

    /// `= != < <= > >=`
    pub fn is_comparison(self) -> bool {
        !self.is_arithmetic() && !self.is_logic()
    }

    /// `AND OR`
    pub fn is_logic(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or)
    }
}

/// What an impossible conversion does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastError {
    /// An error of that record.
    Fail,
    /// Null: the TRY_ forms.
    Null,
}

impl Expr {
    /// The constant, when the node is one.
    pub fn as_literal(&self) -> Option<&Literal> {
        match &self.kind {
            ExprKind::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// The nodes directly below, in written order.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Literal(_) | ExprKind::Field(_) => Vec::new(),
            ExprKind::Negate(operand) | ExprKind::Not(operand) | ExprKind::Cast { operand, .. } => {
                vec![operand]
            }
            ExprKind::Binary { left, right, .. } => vec![left, right],
            ExprKind::Call { args, .. } => args.iter().collect(),
            ExprKind::Case {
                operand,
                arms,
                otherwise,
            } => operand
                .as_deref()
                .into_iter()
                .chain(arms.iter().flat_map(|(when, then)| [when, then]))
                .chain(otherwise.as_deref())
                .collect(),
            ExprKind::JsonValue { document, .. } | ExprKind::JsonExists { document, .. } => vec![document],
        }
    }

    /// Every column it reads, each once, sorted: what `error.fields` reports by name.
    pub fn fields(&self) -> Vec<&FieldRef> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            if let ExprKind::Field(field) = &node.kind {
                found.push(field);
            }
            open.extend(node.children());
        }
        found.sort();
        found.dedup();
        found
    }
}
