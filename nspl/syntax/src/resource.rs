//! `CREATE RESOURCE r` and `UPLOAD RESOURCE r VERSION '<local dir>'` (companion section 2).

use crate::name::{Name, Text};

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
    Number(crate::quantity::Whole),
}
