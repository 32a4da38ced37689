//! `target = expression` items of SET lists and `'key' = expression` entries of maps.
//!
//! A key given twice is an error of the checker.

use crate::expression::Expr;
use crate::name::{Name, Text};
use crate::span::Span;

/// One item of a SET list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// The field that is set.
    pub target: Name,
    /// What it is set to.
    pub value: Expr,
}

/// A map of VALUES, ATTRIBUTES, RESOURCE or DEFAULT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The entries as written.
    pub entries: Vec<MapEntry>,
    /// Where it stands, braces included.
    pub span: Span,
}

/// One entry of a map.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MapEntry {
    /// The key without its quotes.
    pub key: Text,
    /// The value; that it must be a literal in some maps is the checker's rule.
    pub value: Expr,
}
