//! Files that one transaction compiles, each set once: many emitters may encode with one codec.

use std::cell::RefCell;
use std::sync::Arc;

use nspl_protobuf::{DescriptorPool, Fault, FileMap, compile};

/// A set of files and what it compiled to.
struct Compiled {
    map: FileMap,
    files: Vec<String>,
    includes: Vec<String>,
    result: Result<DescriptorPool, Fault>,
}

/// What has been compiled so far.
#[derive(Default)]
pub(crate) struct Descriptors {
    compiled: RefCell<Vec<Compiled>>,
}

impl Descriptors {
    /// The descriptors of a set of files; the same set is compiled once, whoever found its files.
    pub(crate) fn compiled(
        &self,
        map: &FileMap,
        files: &[String],
        includes: &[String],
    ) -> Result<DescriptorPool, Fault> {
        let mut compiled = self.compiled.borrow_mut();
        let same = |known: &&Compiled| {
            let same_map = Arc::ptr_eq(&known.map, map) || known.map == *map;
            known.files == files && known.includes == includes && same_map
        };
        if let Some(known) = compiled.iter().find(same) {
            return known.result.clone();
        }
        let result = compile(map, files, includes);
        compiled.push(Compiled {
            map: Arc::clone(map),
            files: files.to_vec(),
            includes: includes.to_vec(),
            result: result.clone(),
        });
        result
    }
}
