//! `SCHEMA s (field TYPE [OPTIONAL] [SENSITIVE], ...)` (companion sections 2 and 3).

use crate::data_type::{self, DataType};
use crate::grammar::{Rule, flag, keyword, located, name, parenthesised};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::span::Span;
use chumsky::prelude::Parser;

/// A schema of records.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Schema {
    /// The name of the schema.
    pub name: Name,
    /// Its fields in order, at least one.
    pub fields: Vec<Field>,
}

/// One field of a schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name of the field.
    pub name: Name,
    /// Its type.
    pub data_type: DataType,
    /// Whether it may be null.
    pub optional: bool,
    /// Whether its values are sensitive.
    pub sensitive: bool,
    /// Where the field stands.
    pub span: Span,
}

pub(crate) fn rule<'t>() -> Rule<'t, Schema> {
    let head = keyword("SCHEMA").ignore_then(name("a schema name"));
    head.then(parenthesised(field()))
        .map(|(name, fields)| Schema { name, fields })
        .boxed()
}

pub(crate) fn field<'t>() -> Rule<'t, Field> {
    let parts = name("a field name")
        .then(data_type::rule())
        .then(flag("OPTIONAL"))
        .then(flag("SENSITIVE"));
    located(parts, |(((name, data_type), optional), sensitive), span| Field {
        name,
        data_type,
        optional,
        sensitive,
        span,
    })
}

impl Print for Field {
    fn print(&self, printer: &mut Printer) {
        printer.node(&self.name).put(" ").node(&self.data_type);
        printer
            .put(if self.optional { " OPTIONAL" } else { "" })
            .put(if self.sensitive { " SENSITIVE" } else { "" });
    }
}

impl Print for Schema {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("SCHEMA ")
            .node(&self.name)
            .put(" ")
            .block(("(", ")"), 0, &self.fields);
    }
}
