//! Operations of ALTER SCHEMA and ALTER WIRE SCHEMA.

use crate::data_type::DataType;
use crate::name::Name;
use crate::schema::Field;
use crate::span::Spanned;
use crate::wire_schema::{WireField, WireMode};

/// One operation of ALTER SCHEMA.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlterSchema {
    /// `ADD FIELD f T [OPTIONAL] [SENSITIVE]`
    Add(Field),
    /// `DROP FIELD f`
    Drop(Name),
    /// `RENAME FIELD f TO g`
    Rename {
        /// The field.
        field: Name,
        /// Its new name.
        to: Name,
    },
    /// `ALTER FIELD f SET TYPE T`
    SetType {
        /// The field.
        field: Name,
        /// Its new type.
        data_type: DataType,
    },
    /// `ALTER FIELD f SET|DROP OPTIONAL|SENSITIVE`
    Modify {
        /// The field.
        field: Name,
        /// Which modifier.
        modifier: Modifier,
        /// SET (true) or DROP (false).
        present: bool,
    },
}

/// The modifiers of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// `OPTIONAL`
    Optional,
    /// `SENSITIVE`
    Sensitive,
}

/// One operation of ALTER WIRE SCHEMA.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlterWireSchema {
    /// `ADD FIELD f T [OPTIONAL]`
    Add(WireField),
    /// `DROP FIELD f`
    Drop(Name),
    /// `RENAME FIELD f TO g`
    Rename {
        /// The field.
        field: Name,
        /// Its new name.
        to: Name,
    },
    /// `ALTER FIELD f SET TYPE T`
    SetType {
        /// The field.
        field: Name,
        /// Its new wire type, in lower case.
        wire_type: Name,
    },
    /// `ALTER FIELD f SET|DROP OPTIONAL`
    SetOptional {
        /// The field.
        field: Name,
        /// SET (true) or DROP (false).
        present: bool,
    },
    /// `MODE STRICT|LOOSE`
    Mode(Spanned<WireMode>),
}
