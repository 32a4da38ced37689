//! `SCHEMA s (field TYPE [OPTIONAL] [SENSITIVE], ...)` (companion sections 2 and 3).

use crate::data_type::DataType;
use crate::name::Name;
use crate::span::Span;

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
