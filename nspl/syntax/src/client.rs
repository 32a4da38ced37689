//! `CLIENT c TYPE <kind> [POOL SIZE MIN a MAX b] [MOUNT r VERSION n|LATEST] CONFIG {...}` (companion section 13).
//!
//! The kind is kept as a name: which kinds and keys there are is the checker's rule. Debug output never shows the
//! values of CONFIG.

use crate::expression::literal;
use crate::grammar::{Rule, keyword, located, name, phrase, symbol, text};
use crate::printer::{Print, Printer};
use chumsky::prelude::{IterParser, Parser};
pub mod secret;

use std::fmt;

use crate::expression::Expr;
use crate::name::{Name, Text};
use crate::quantity::{Whole, whole};
use crate::resource::{self, Version};
use crate::span::Span;

/// The connection to an outside system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    /// The name of the client.
    pub name: Name,
    /// The kind behind TYPE, in upper case.
    pub kind: Name,
    /// The bounds of the connection pool.
    pub pool: Option<PoolSize>,
    /// The resource whose files the configuration may name.
    pub mount: Option<Mount>,
    /// The configuration.
    pub config: Config,
}

/// `POOL SIZE MIN a MAX b`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PoolSize {
    /// The connections kept open.
    pub min: Whole,
    /// The most connections.
    pub max: Whole,
    /// Where the clause stands.
    pub span: Span,
}

/// `MOUNT r VERSION n|LATEST`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mount {
    /// The resource.
    pub resource: Name,
    /// Its version.
    pub version: Version,
    /// Where the clause stands.
    pub span: Span,
}

/// `CONFIG { 'key' = value, ... }`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// The entries as written.
    pub entries: Vec<ConfigEntry>,
    /// Where the map stands, braces included.
    pub span: Span,
}

/// One entry of CONFIG.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ConfigEntry {
    /// The key without its quotes.
    pub key: Text,
    /// A string, a number, TRUE or FALSE.
    pub value: Expr,
}

impl fmt::Debug for ConfigEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigEntry")
            .field("key", &self.key.value)
            .finish_non_exhaustive()
    }
}

/// The words of its clauses, behind the kind.
const CLAUSE_WORDS: [&str; 11] = [
    "TYPE", "POOL", "SIZE", "MIN", "MAX", "MOUNT", "VERSION", "LATEST", "CONFIG", "SET", "DROP",
];

/// Whether a word, in any case, belongs to a clause of CREATE or ALTER CLIENT.
#[must_use]
pub fn is_clause_word(word: &str) -> bool {
    CLAUSE_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

pub(crate) fn rule<'t>() -> Rule<'t, Client> {
    let head = keyword("CLIENT").ignore_then(name("a client name"));
    let kind = keyword("TYPE").ignore_then(name("a kind of client"));
    let bounds = phrase("POOL SIZE MIN")
        .ignore_then(whole())
        .then_ignore(keyword("MAX"))
        .then(whole());
    let pool = located(bounds, |(min, max), span| PoolSize { min, max, span });
    head.then(kind)
        .then(pool.or_not())
        .then(mount().or_not())
        .then(config())
        .map(|((((name, mut kind), pool), mount), config)| {
            kind.text.make_ascii_uppercase();
            Client {
                name,
                kind,
                pool,
                mount,
                config,
            }
        })
        .boxed()
}

/// `MOUNT r VERSION n|LATEST`
pub(crate) fn mount<'t>() -> Rule<'t, Mount> {
    let parts = keyword("MOUNT")
        .ignore_then(name(resource::RESOURCE))
        .then(resource::version());
    located(parts, |(resource, version), span| Mount {
        resource,
        version,
        span,
    })
}

/// `CONFIG {...}`
pub(crate) fn config<'t>() -> Rule<'t, Config> {
    let entry = text("a quoted key").then_ignore(symbol("=")).then(literal());
    let entry = entry.map(|(key, value)| ConfigEntry { key, value }).boxed();
    let entries = entry
        .separated_by(symbol(","))
        .collect()
        .delimited_by(symbol("{"), symbol("}"));
    let map = located(entries, |entries, span| Config { entries, span });
    keyword("CONFIG").ignore_then(map).boxed()
}

impl Print for Client {
    fn print(&self, printer: &mut Printer) {
        printer.put("CLIENT ").node(&self.name);
        printer.line(2).put("TYPE ").node(&self.kind);
        printer
            .clause(2, self.pool.as_ref())
            .clause(2, self.mount.as_ref())
            .line(2);
        self.config.print_at(printer, 2, Some(&self.kind.text));
    }
}

impl Print for PoolSize {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("POOL SIZE MIN ")
            .node(&self.min)
            .put(" MAX ")
            .node(&self.max);
    }
}

impl Print for Mount {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("MOUNT ")
            .node(&self.resource)
            .put(" ")
            .node(&self.version);
    }
}

impl Config {
    /// Prints the clause, its closing brace indented by `columns`; `kind` tells which keys are secret.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize, kind: Option<&str>) {
        let masked = printer.masked();
        let entries: Vec<Entry<'_>> = self
            .entries
            .iter()
            .map(|entry| Entry { entry, kind, masked })
            .collect();
        printer.put("CONFIG ").block(("{", "}"), columns, &entries);
    }
}

/// An entry with what it takes to mask it.
struct Entry<'a> {
    entry: &'a ConfigEntry,
    kind: Option<&'a str>,
    masked: bool,
}

impl Print for Entry<'_> {
    fn print(&self, printer: &mut Printer) {
        printer.node(&self.entry.key).put(" = ");
        let value = &self.entry.value;
        match secret::masked(self.kind, &self.entry.key.value, value).filter(|_| self.masked) {
            Some(masked) => printer.quoted(&masked),
            None => printer.node(value),
        };
    }
}
