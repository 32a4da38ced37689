//! `target = expression` items of SET lists and `'key' = expression` entries of maps.
//!
//! A key given twice is an error of the checker.

use crate::expression::Expr;
use crate::grammar::{Rule, list, located, name, symbol, text};
use crate::name::{Name, Text};
use crate::printer::{Print, Printer, display};
use crate::span::Span;
use chumsky::prelude::{IterParser, Parser};

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

pub(crate) fn assignments<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Vec<Assignment>> {
    let item = name("a field name")
        .then_ignore(symbol("="))
        .then(expression.clone());
    list(item.map(|(target, value)| Assignment { target, value }).boxed())
}

pub(crate) fn map<'t>(value: &Rule<'t, Expr>) -> Rule<'t, Map> {
    let entry = text("a quoted key").then_ignore(symbol("=")).then(value.clone());
    let entry = entry.map(|(key, value)| MapEntry { key, value }).boxed();
    let entries = entry
        .separated_by(symbol(","))
        .collect()
        .delimited_by(symbol("{"), symbol("}"));
    located(entries, |entries, span| Map { entries, span })
}

impl Print for Assignment {
    fn print(&self, printer: &mut Printer) {
        printer.node(&self.target).put(" = ").node(&self.value);
    }
}

impl Print for MapEntry {
    fn print(&self, printer: &mut Printer) {
        printer.node(&self.key).put(" = ").node(&self.value);
    }
}

impl Map {
    /// Prints the map one entry a line, its closing brace indented by `columns`.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize) {
        printer.block(("{", "}"), columns, &self.entries);
    }
}

display!(Assignment, MapEntry);
