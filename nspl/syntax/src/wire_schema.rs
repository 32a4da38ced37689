//! `WIRE JSON|CBOR|AVRO SCHEMA w MODE STRICT|LOOSE (field wire_type [OPTIONAL], ...)` (companion section 2,
//! rulings section 4). Which wire types a format has is the checker's rule.

use crate::grammar::name as named;
use crate::grammar::{Rule, choice_of, flag, keyword, located, parenthesised, spanned};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::span::{Span, Spanned};
use chumsky::prelude::{Parser, choice};

/// A wire schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WireSchema {
    /// The format; each has names of its own.
    pub format: WireFormat,
    /// The name of the wire schema.
    pub name: Name,
    /// How decoding treats what the schema does not name.
    pub mode: Spanned<WireMode>,
    /// Its fields in order, at least one.
    pub fields: Vec<WireField>,
}

/// The formats with wire schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WireFormat {
    /// `JSON`
    Json,
    /// `CBOR`
    Cbor,
    /// `AVRO`
    Avro,
}

/// `STRICT` or `LOOSE`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireMode {
    /// `STRICT`
    Strict,
    /// `LOOSE`
    Loose,
}

/// One field of a wire schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WireField {
    /// The name of the field.
    pub name: Name,
    /// Its wire type, in lower case.
    pub wire_type: Name,
    /// Whether it may be missing.
    pub optional: bool,
    /// Where the field stands.
    pub span: Span,
}

impl WireFormat {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Json, Self::Cbor, Self::Avro];

    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Cbor => "CBOR",
            Self::Avro => "AVRO",
        }
    }
}

impl WireMode {
    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "STRICT",
            Self::Loose => "LOOSE",
        }
    }
}

pub(crate) fn rule<'t>() -> Rule<'t, WireSchema> {
    let head = keyword("WIRE")
        .ignore_then(format())
        .then_ignore(keyword("SCHEMA"))
        .then(named("a wire schema name"));
    let parts = head.then(mode()).then(parenthesised(field()));
    parts
        .map(|(((format, name), mode), fields)| WireSchema {
            format,
            name,
            mode,
            fields,
        })
        .boxed()
}

/// `JSON|CBOR|AVRO`
pub(crate) fn format<'t>() -> Rule<'t, WireFormat> {
    let formats: Vec<_> = WireFormat::ALL
        .into_iter()
        .map(|format| choice_of(format.as_str(), format))
        .collect();
    choice(formats).boxed()
}

/// `MODE STRICT|LOOSE`
pub(crate) fn mode<'t>() -> Rule<'t, Spanned<WireMode>> {
    let mode = choice((
        choice_of("STRICT", WireMode::Strict),
        choice_of("LOOSE", WireMode::Loose),
    ));
    keyword("MODE").ignore_then(spanned(mode)).boxed()
}

/// A wire type; which there are is the checker's rule.
pub(crate) fn wire_type<'t>() -> Rule<'t, Name> {
    named("a wire type")
        .map(|name| Name {
            text: name.text.to_ascii_lowercase(),
            ..name
        })
        .boxed()
}

pub(crate) fn field<'t>() -> Rule<'t, WireField> {
    let parts = named("a field name").then(wire_type()).then(flag("OPTIONAL"));
    located(parts, |((name, wire_type), optional), span| WireField {
        name,
        wire_type,
        optional,
        span,
    })
}

impl Print for WireSchema {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("WIRE ")
            .put(self.format.as_str())
            .put(" SCHEMA ")
            .node(&self.name);
        printer
            .put(" MODE ")
            .put(self.mode.as_str())
            .put(" ")
            .block(("(", ")"), 0, &self.fields);
    }
}

impl Print for WireField {
    fn print(&self, printer: &mut Printer) {
        printer
            .node(&self.name)
            .put(" ")
            .node(&self.wire_type)
            .put(if self.optional { " OPTIONAL" } else { "" });
    }
}
