//! Operations of ALTER SCHEMA and ALTER WIRE SCHEMA.

use crate::data_type::DataType;
use crate::grammar::{Rule, choice_of, keyword, name, phrase};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::schema::Field;
use crate::span::Spanned;
use crate::wire_schema::{WireField, WireMode};
use crate::{data_type, schema, wire_schema};
use chumsky::prelude::{Parser, choice};

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

/// The label of a place for a field's name.
const FIELD: &str = "a field name";

pub(super) fn rule<'t>() -> Rule<'t, AlterSchema> {
    let (drop, rename) = drop_and_rename();
    let modifier = || {
        choice((
            choice_of("OPTIONAL", Modifier::Optional),
            choice_of("SENSITIVE", Modifier::Sensitive),
        ))
        .boxed()
    };
    enum Change {
        Type(DataType),
        Modify(Modifier, bool),
    }
    let set_type = keyword("TYPE")
        .ignore_then(data_type::rule())
        .map(Change::Type)
        .boxed();
    let set = modifier().map(|modifier| Change::Modify(modifier, true)).boxed();
    let unset = modifier().map(|modifier| Change::Modify(modifier, false)).boxed();
    let change = choice((
        keyword("SET").ignore_then(choice((set_type, set))).boxed(),
        keyword("DROP").ignore_then(unset).boxed(),
    ));
    let alter = phrase("ALTER FIELD").ignore_then(name(FIELD)).then(change);
    let alter = alter.map(|(field, change)| match change {
        Change::Type(data_type) => AlterSchema::SetType { field, data_type },
        Change::Modify(modifier, present) => AlterSchema::Modify {
            field,
            modifier,
            present,
        },
    });
    choice((
        phrase("ADD FIELD")
            .ignore_then(schema::field())
            .map(AlterSchema::Add)
            .boxed(),
        drop.map(AlterSchema::Drop).boxed(),
        rename
            .map(|(field, to)| AlterSchema::Rename { field, to })
            .boxed(),
        alter.boxed(),
    ))
    .boxed()
}

pub(super) fn wire_rule<'t>() -> Rule<'t, AlterWireSchema> {
    let (drop, rename) = drop_and_rename();
    enum Change {
        Type(Name),
        Optional(bool),
    }
    let set_type = keyword("TYPE")
        .ignore_then(wire_schema::wire_type())
        .map(Change::Type)
        .boxed();
    let set = choice((
        set_type,
        keyword("OPTIONAL").map(|_| Change::Optional(true)).boxed(),
    ));
    let unset = keyword("OPTIONAL").map(|_| Change::Optional(false)).boxed();
    let change = choice((
        keyword("SET").ignore_then(set).boxed(),
        keyword("DROP").ignore_then(unset).boxed(),
    ));
    let alter = phrase("ALTER FIELD").ignore_then(name(FIELD)).then(change);
    let alter = alter.map(|(field, change)| match change {
        Change::Type(wire_type) => AlterWireSchema::SetType { field, wire_type },
        Change::Optional(present) => AlterWireSchema::SetOptional { field, present },
    });
    choice((
        phrase("ADD FIELD")
            .ignore_then(wire_schema::field())
            .map(AlterWireSchema::Add)
            .boxed(),
        drop.map(AlterWireSchema::Drop).boxed(),
        rename
            .map(|(field, to)| AlterWireSchema::Rename { field, to })
            .boxed(),
        alter.boxed(),
        wire_schema::mode().map(AlterWireSchema::Mode).boxed(),
    ))
    .boxed()
}

/// `DROP FIELD f` and `RENAME FIELD f TO g`
fn drop_and_rename<'t>() -> (Rule<'t, Name>, Rule<'t, (Name, Name)>) {
    let drop = phrase("DROP FIELD").ignore_then(name(FIELD)).boxed();
    let rename = phrase("RENAME FIELD")
        .ignore_then(name(FIELD))
        .then_ignore(keyword("TO"))
        .then(name(FIELD));
    (drop, rename.boxed())
}

impl Modifier {
    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Optional => "OPTIONAL",
            Self::Sensitive => "SENSITIVE",
        }
    }
}

impl Print for AlterSchema {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Add(field) => printer.put("ADD FIELD ").node(field),
            Self::Drop(field) => printer.put("DROP FIELD ").node(field),
            Self::Rename { field, to } => printer.put("RENAME FIELD ").node(field).put(" TO ").node(to),
            Self::SetType { field, data_type } => printer
                .put("ALTER FIELD ")
                .node(field)
                .put(" SET TYPE ")
                .node(data_type),
            Self::Modify {
                field,
                modifier,
                present,
            } => {
                let verb = if *present { " SET " } else { " DROP " };
                printer
                    .put("ALTER FIELD ")
                    .node(field)
                    .put(verb)
                    .put(modifier.as_str())
            }
        };
    }
}

impl Print for AlterWireSchema {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Add(field) => printer.put("ADD FIELD ").node(field),
            Self::Drop(field) => printer.put("DROP FIELD ").node(field),
            Self::Rename { field, to } => printer.put("RENAME FIELD ").node(field).put(" TO ").node(to),
            Self::SetType { field, wire_type } => printer
                .put("ALTER FIELD ")
                .node(field)
                .put(" SET TYPE ")
                .node(wire_type),
            Self::SetOptional { field, present } => {
                printer.put("ALTER FIELD ").node(field).put(if *present {
                    " SET OPTIONAL"
                } else {
                    " DROP OPTIONAL"
                })
            }
            Self::Mode(mode) => printer.put("MODE ").put(mode.as_str()),
        };
    }
}
