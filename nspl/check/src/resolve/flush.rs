//! FLUSH and COLLECT.

use nspl_model::{Collect, Flush};
use nspl_syntax::emitter::collect as collect_tree;
use nspl_syntax::flush as tree;

use super::Resolver;
use crate::quantity::{duration, size};

impl Resolver<'_> {
    pub(super) fn flush(&mut self, tree: &tree::Flush) -> Option<Flush> {
        match &tree.kind {
            tree::FlushKind::Immediate => Some(Flush::Immediate),
            tree::FlushKind::Each {
                every,
                max_batch_size,
            } => {
                let every = duration(every, "FLUSH EACH", &mut self.faults);
                let max_bytes = size(max_batch_size, "MAX BATCH SIZE", &mut self.faults);
                Some(Flush::Each {
                    every: every?,
                    max_bytes: max_bytes?,
                })
            }
        }
    }

    pub(super) fn collect(&mut self, tree: &collect_tree::Collect) -> Option<Collect> {
        let each = duration(&tree.each, "COLLECT FOR", &mut self.faults);
        let max_bytes = match &tree.max_batch_size {
            Some(bytes) => size(bytes, "MAX BATCH SIZE", &mut self.faults).map(Some),
            None => Some(None),
        };
        Some(Collect {
            each: each?,
            max_bytes: max_bytes?,
        })
    }
}
