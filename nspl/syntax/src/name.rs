//! Names: identifiers of the language and names that belong to outside systems (companion section 1).
//!
//! Identifiers are case-sensitive and may spell any keyword. An external name (topic, queue, channel, subject,
//! table, collection, consumer group) is written bare where it lexes as an identifier and quoted otherwise.

use crate::printer::{Print, Printer, display};
use crate::span::Span;

/// An identifier: the name of an entity, a field or a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The identifier as written; names of functions and scopes are in lower case.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// The name of something in an outside system, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternalName {
    /// The name itself.
    pub text: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// A string literal, without its quotes and with doubled quotes undone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    /// The value of the literal.
    pub value: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

impl Name {
    /// A name that stands nowhere, for trees built by a program.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            span: Span::default(),
        }
    }
}

impl ExternalName {
    /// An external name that stands nowhere, for trees built by a program.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            span: Span::default(),
        }
    }
}

impl Text {
    /// A literal that stands nowhere, for trees built by a program.
    pub fn new(value: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            span: Span::default(),
        }
    }
}

impl Print for Name {
    fn print(&self, printer: &mut Printer) {
        printer.put(&self.text);
    }
}

impl Print for ExternalName {
    fn print(&self, printer: &mut Printer) {
        printer.external(&self.text);
    }
}

impl Print for Text {
    fn print(&self, printer: &mut Printer) {
        printer.quoted(&self.value);
    }
}

display!(Name, ExternalName, Text);
