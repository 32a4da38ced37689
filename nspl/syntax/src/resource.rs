//! `CREATE RESOURCE r` and `UPLOAD RESOURCE r VERSION '<local dir>'` (companion section 2).

use crate::grammar::{Rule, keyword, name, phrase, text};
use crate::name::{Name, Text};
use crate::printer::{Print, Printer};
use crate::quantity::{Whole, whole};
use chumsky::prelude::{Parser, choice};

/// A resource: a versioned folder of files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The name of the resource.
    pub name: Name,
}

/// `UPLOAD RESOURCE r VERSION '<local dir>'`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UploadResource {
    /// The resource that gets a new version.
    pub name: Name,
    /// The folder, relative to the script's folder.
    pub folder: Text,
}

/// `VERSION n` or `VERSION LATEST`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// The newest version when the statement is executed.
    Latest,
    /// One version, counted from 1.
    Number(Whole),
}

/// The label of a place for a resource's name.
pub(crate) const RESOURCE: &str = "a resource name";

pub(crate) fn rule<'t>() -> Rule<'t, Resource> {
    keyword("RESOURCE")
        .ignore_then(name(RESOURCE))
        .map(|name| Resource { name })
        .boxed()
}

pub(crate) fn upload_rule<'t>() -> Rule<'t, UploadResource> {
    let head = phrase("UPLOAD RESOURCE").ignore_then(name(RESOURCE));
    let folder = keyword("VERSION").ignore_then(text("a quoted folder"));
    head.then(folder)
        .map(|(name, folder)| UploadResource { name, folder })
        .boxed()
}

/// `VERSION n`
pub(crate) fn numbered<'t>() -> Rule<'t, Version> {
    keyword("VERSION")
        .ignore_then(whole())
        .map(Version::Number)
        .boxed()
}

/// `VERSION n|LATEST`
pub(crate) fn version<'t>() -> Rule<'t, Version> {
    let latest = keyword("LATEST").map(|_| Version::Latest).boxed();
    keyword("VERSION")
        .ignore_then(choice((whole().map(Version::Number).boxed(), latest)))
        .boxed()
}

impl Print for Resource {
    fn print(&self, printer: &mut Printer) {
        printer.put("RESOURCE ").node(&self.name);
    }
}

impl Print for UploadResource {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("UPLOAD RESOURCE ")
            .node(&self.name)
            .put(" VERSION ")
            .node(&self.folder);
    }
}

impl Print for Version {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Latest => printer.put("VERSION LATEST"),
            Self::Number(number) => printer.put("VERSION ").node(number),
        };
    }
}
