//! What an operation of ALTER EMITTER says and a later one of the same statement overwrites.
//!
//! The candidate does not hold it, so it is judged apart: in the emitter as it was right after the operation, and in the
//! altered one with the operation carried out once more. A fault counts when both have it: the one may still lack
//! what a later operation adds, the other may have left the sink that the operation was written for.

use std::collections::BTreeSet;
use std::sync::Arc;

use nspl_syntax::Span;
use nspl_syntax::alter::emitter::AlterEmitter;
use nspl_syntax::emitter::Emitter;
use nspl_syntax::entity::Entity as Tree;

use super::Applied;
use super::emitter::AlteringEmitter;

/// Overwritten operations of one statement that are judged: each costs as much as the emitter.
const OVERWRITTEN_MAX: usize = 64;

/// An operation whose words are not in the altered emitter.
pub(in crate::script) struct Overwritten {
    /// Where it says so.
    pub(in crate::script) span: Span,
    /// Emitters that hold it.
    pub(in crate::script) trees: Vec<Arc<Tree>>,
}

/// The operations that a later one overwrites, in part at least; the last ones, when they are many.
fn indices(operations: &[AlterEmitter]) -> BTreeSet<usize> {
    let mut later = Later::default();
    let mut found = BTreeSet::new();
    for (index, operation) in operations.iter().enumerate().rev() {
        if found.len() < OVERWRITTEN_MAX && later.overwrites(operation) {
            found.insert(index);
        }
        later.add(operation);
    }
    found
}

/// Applies the operations of a statement, and gives those that a later one overwrites.
pub(super) fn apply(altering: &mut AlteringEmitter, operations: &[AlterEmitter]) -> Applied {
    let hidden = indices(operations);
    let mut refused = Vec::new();
    let mut held = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        refused.extend(altering.apply(operation).err());
        if hidden.contains(&index) {
            held.push((operation, altering.to_emitter()));
        }
    }
    let overwritten = match held.is_empty() {
        true => Vec::new(),
        false => found(held, &altering.to_emitter()),
    };
    Applied { refused, overwritten }
}

/// The operations, each with the emitter right after it, in that and in the altered emitter.
fn found(held: Vec<(&AlterEmitter, Emitter)>, altered: &Emitter) -> Vec<Overwritten> {
    let found = held.into_iter().filter_map(|(operation, after)| {
        let mut again = AlteringEmitter::of(Box::new(altered.clone()));
        let applied = again.apply(operation).is_ok();
        let again = applied.then(|| again.finish());
        let trees = std::iter::once(Box::new(after)).chain(again);
        Some(Overwritten {
            span: place(operation)?,
            trees: trees.map(Tree::Emitter).map(Arc::new).collect(),
        })
    });
    found.collect()
}

/// Where an operation says what could be wrong.
fn place(operation: &AlterEmitter) -> Option<Span> {
    Some(match operation {
        AlterEmitter::AddFrom(source) => source.span,
        AlterEmitter::SetWhere { filter, .. } => filter.span,
        AlterEmitter::SetTo(sink) => sink.span,
        AlterEmitter::SetMode(mode) => mode.span,
        AlterEmitter::SetClient(name) | AlterEmitter::SetEncode(name) => name.span,
        AlterEmitter::SetCollect(collect) => collect.span,
        AlterEmitter::SetBatch(batch) => batch.span,
        AlterEmitter::SetFlush(flush) => flush.span,
        AlterEmitter::SetCommit(commit) => commit.span,
        AlterEmitter::DropFrom(_)
        | AlterEmitter::DropWhere(_)
        | AlterEmitter::DropEncode(_)
        | AlterEmitter::DropCollect(_)
        | AlterEmitter::DropBatch(_)
        | AlterEmitter::SetAttachment(_) => return None,
    })
}

/// What the operations behind one take away.
#[derive(Default)]
struct Later<'t> {
    to: bool,
    mode: bool,
    client: bool,
    encode: bool,
    commit: bool,
    collect: bool,
    batch: bool,
    flush: bool,
    /// The relays whose WHERE is set or dropped, or that are dropped.
    sources: BTreeSet<&'t str>,
}

impl<'t> Later<'t> {
    fn add(&mut self, operation: &'t AlterEmitter) {
        match operation {
            AlterEmitter::SetTo(_) => self.to = true,
            AlterEmitter::SetMode(_) => self.mode = true,
            AlterEmitter::SetClient(_) => self.client = true,
            AlterEmitter::SetEncode(_) | AlterEmitter::DropEncode(_) => self.encode = true,
            AlterEmitter::SetCommit(_) => self.commit = true,
            AlterEmitter::SetCollect(_) | AlterEmitter::DropCollect(_) => self.collect = true,
            AlterEmitter::SetBatch(_) | AlterEmitter::DropBatch(_) => self.batch = true,
            AlterEmitter::SetFlush(_) => self.flush = true,
            AlterEmitter::SetWhere { relay, .. }
            | AlterEmitter::DropWhere(relay)
            | AlterEmitter::DropFrom(relay) => _ = self.sources.insert(&relay.text),
            AlterEmitter::AddFrom(_) | AlterEmitter::SetAttachment(_) => {}
        }
    }

    fn overwrites(&self, operation: &AlterEmitter) -> bool {
        match operation {
            AlterEmitter::SetTo(_) => self.to || self.mode || self.client || self.encode || self.commit,
            AlterEmitter::SetMode(_) => self.to || self.mode,
            AlterEmitter::SetClient(_) => self.to || self.client,
            AlterEmitter::SetEncode(_) => self.to || self.encode,
            AlterEmitter::SetCommit(_) => self.to || self.commit,
            AlterEmitter::SetCollect(_) => self.collect,
            AlterEmitter::SetBatch(_) => self.batch,
            AlterEmitter::SetFlush(_) => self.flush,
            AlterEmitter::AddFrom(source) => self.sources.contains(source.relay.text.as_str()),
            AlterEmitter::SetWhere { relay, .. } => self.sources.contains(relay.text.as_str()),
            AlterEmitter::DropFrom(_)
            | AlterEmitter::DropWhere(_)
            | AlterEmitter::DropEncode(_)
            | AlterEmitter::DropCollect(_)
            | AlterEmitter::DropBatch(_)
            | AlterEmitter::SetAttachment(_) => false,
        }
    }
}
