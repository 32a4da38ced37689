//! Route-local construction: INHERIT, SET and the route's WHERE (companion section 5, rulings section 3).

use crate::Expr;

/// How an output record is built from an input row. It starts empty; every required field is set by some step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Construction {
    /// In written order.
    pub steps: Vec<Step>,
    /// The route's WHERE over the finished record; keeps a row only when true.
    pub filter: Option<Expr>,
}

/// One step of a construction.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// Copies an input column of the same type.
    Inherit {
        /// Index into the output schema.
        output: usize,
        /// Index into the input schema.
        input: usize,
    },
    /// Sets a field. The position among the SET items, from 0, is the `operation_index` of its errors.
    Set(Assignment),
}

/// A field and the expression that gives its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// Index into the target's schema.
    pub index: usize,
    /// Of the field's exact type; nullable only for an OPTIONAL field.
    pub expr: Expr,
}
