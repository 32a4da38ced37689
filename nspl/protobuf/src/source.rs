//! Files as the compiler sees them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use prost_reflect::DescriptorPool;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};
use protox::{Compiler, Error};

use crate::Fault;
use crate::nesting::{NESTING_MAX, nesting};

/// Files by their paths below the root of their resource, parts separated by `/`; cheap to clone.
pub type FileMap = Arc<BTreeMap<String, Vec<u8>>>;

/// The stack on which files are compiled: imports are followed by recursion.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Compiles `files`, or every .proto when there is none, and what they import. Both lists are paths below the root; an
/// import is looked for in `includes` in their order, and at the root at last.
///
/// # Errors
/// The first fault.
pub fn compile(map: &FileMap, files: &[String], includes: &[String]) -> Result<DescriptorPool, Fault> {
    let folder = Folder {
        map: Arc::clone(map),
        includes: roots(includes),
    };
    let every: Vec<String> = match files {
        [] => map
            .keys()
            .filter(|path| path.ends_with(".proto"))
            .cloned()
            .collect(),
        files => files.to_vec(),
    };
    if every.is_empty() {
        return Err(Fault::new(None, "there is no .proto file"));
    }
    stacker::grow(STACK_BYTES, || folder.compile(&every))
}

/// Prefixes of paths: each empty, or with a slash at its end.
fn roots(includes: &[String]) -> Vec<String> {
    let written = includes.iter().map(|include| match include.as_str() {
        "." => String::new(),
        include => format!("{include}/"),
    });
    let mut roots: Vec<String> = written.collect();
    if !roots.contains(&String::new()) {
        roots.push(String::new());
    }
    roots
}

#[derive(Clone)]
struct Folder {
    map: FileMap,
    includes: Vec<String>,
}

impl Folder {
    fn compile(&self, files: &[String]) -> Result<DescriptorPool, Fault> {
        let mut resolver = ChainFileResolver::new();
        resolver.add(self.clone());
        resolver.add(GoogleFileResolver::new());
        let mut compiler = Compiler::with_file_resolver(resolver);
        for file in files {
            let Some(name) = self.name(file) else {
                return Err(Fault::new(None, format!("there is no file '{file}'")));
            };
            compiler.open_file(&name).map_err(|error| {
                Fault::of(&error, |name| self.text(name).ok().flatten().map(str::to_owned))
            })?;
        }
        Ok(compiler.descriptor_pool())
    }

    /// What imports call a file: its path below the first include that holds it.
    fn name(&self, path: &str) -> Option<String> {
        let below = self
            .includes
            .iter()
            .find_map(|root| path.strip_prefix(root.as_str()));
        self.map.contains_key(path).then_some(below?.to_owned())
    }

    /// The text of a file that is imported by a name; `None` when there is none.
    fn text(&self, name: &str) -> Result<Option<&str>, Error> {
        let mut paths = self.includes.iter().map(|root| format!("{root}{name}"));
        let Some(bytes) = paths.find_map(|path| self.map.get(&path)) else {
            return Ok(None);
        };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Error::new(format!("'{name}' is not UTF-8"))),
        }
    }
}

impl FileResolver for Folder {
    fn resolve_path(&self, _: &Path) -> Option<String> {
        None
    }

    fn open_file(&self, name: &str) -> Result<File, Error> {
        let text = self.text(name)?.ok_or_else(|| Error::file_not_found(name))?;
        if nesting(text) > NESTING_MAX {
            let why = format!("'{name}' has blocks that are nested more than {NESTING_MAX} deep");
            return Err(Error::new(why));
        }
        File::from_source(name, text)
    }
}
