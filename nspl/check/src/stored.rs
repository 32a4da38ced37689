//! Trees of stored statements, many read at a time: to make the reader costs more than to read one statement.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use nspl_syntax::entity::Entity as Tree;
use nspl_syntax::{Fault, Statement};

/// Spans of stored text count from here on: no script is as long, so they never point into the one at hand.
const APART: usize = usize::MAX / 4;

/// So much text is read at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// Statements of which the trees are kept have so much text together.
const KEPT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Trees that a script has needed: of what refers to what it changes, each of its transactions needs them again.
#[derive(Default)]
pub(crate) struct Trees {
    kept: HashMap<Arc<str>, Arc<Tree>>,
    bytes: usize,
}

impl Trees {
    /// One tree per text, in order, as [`trees`] reads them; those that are known are not read again.
    pub(crate) fn of(&mut self, texts: &[&Arc<str>]) -> Vec<Result<Arc<Tree>, Unreadable>> {
        let unknown: Vec<&Arc<str>> = texts
            .iter()
            .filter(|text| !self.kept.contains_key(**text))
            .copied()
            .collect();
        let plain: Vec<&str> = unknown.iter().map(|text| &***text).collect();
        let mut read = trees(&plain).into_iter();
        let mut found = Vec::with_capacity(texts.len());
        for text in texts {
            found.push(match self.kept.get(*text) {
                Some(tree) => Ok(tree.clone()),
                None => read.next().unwrap_or(Err(Unreadable::Other)),
            });
        }
        for (text, tree) in texts.iter().zip(&found) {
            if let Ok(tree) = tree
                && self.bytes + text.len() <= KEPT_BYTES_MAX
                && self.kept.insert(Arc::clone(text), tree.clone()).is_none()
            {
                self.bytes += text.len();
            }
        }
        found
    }
}

/// Why a text is no stored statement.
pub(crate) enum Unreadable {
    Fault(Fault),
    /// It is no CREATE.
    Other,
}

/// Whether a place is one of the script, and none of stored text.
pub(crate) fn in_script(place: &Range<usize>) -> bool {
    place.end < APART
}

/// One tree per text, in order. Their spans are those of no script.
pub(crate) fn trees(texts: &[&str]) -> Vec<Result<Arc<Tree>, Unreadable>> {
    let mut found = Vec::with_capacity(texts.len());
    let mut rest = texts;
    while !rest.is_empty() {
        let mut bytes = 0;
        let full = |text: &&str| {
            bytes += text.len();
            bytes > CHUNK_BYTES
        };
        let length = rest.iter().position(full).unwrap_or(rest.len()).max(1);
        let (chunk, after) = rest.split_at(length);
        found.extend(together(chunk).unwrap_or_else(|| chunk.iter().map(|text| tree(text)).collect()));
        rest = after;
    }
    found
}

/// The tree of a stored statement. Its spans are those of no script.
pub(crate) fn tree(text: &str) -> Result<Arc<Tree>, Unreadable> {
    let parsed = nspl_syntax::parse_apart(text, APART);
    if let Some(fault) = parsed.faults.into_iter().next() {
        return Err(Unreadable::Fault(fault));
    }
    match parsed
        .statements
        .into_iter()
        .next()
        .map(|statement| statement.node)
    {
        Some(Statement::Create(create)) => Ok(Arc::new(create.entity)),
        _ => Err(Unreadable::Other),
    }
}

/// `None` when any of them is not what it should be: then each is read by itself.
fn together(texts: &[&str]) -> Option<Vec<Result<Arc<Tree>, Unreadable>>> {
    let parsed = nspl_syntax::parse_apart(&texts.join("\n"), APART);
    if !parsed.faults.is_empty() || parsed.statements.len() != texts.len() {
        return None;
    }
    let trees = parsed
        .statements
        .into_iter()
        .map(|statement| match statement.node {
            Statement::Create(create) => Some(Ok(Arc::new(create.entity))),
            _ => None,
        });
    trees.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Trees;

    #[test]
    fn what_was_read_is_not_read_again() {
        let text = |name: &str| Arc::<str>::from(format!("CREATE SCHEMA {name} (a I8);"));
        let mut trees = Trees::default();
        let (a, b) = (text("a"), text("b"));
        let first = trees.of(&[&a, &b]);
        // The same words in other memory, among others and in another order.
        let (c, b) = (text("c"), text("b"));
        let second = trees.of(&[&c, &b, &a]);
        let kept = |one: usize, other: usize| match (&first[one], &second[other]) {
            (Ok(one), Ok(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        assert!(kept(0, 2) && kept(1, 1));
        assert!(second[0].as_ref().is_ok_and(|tree| tree.name().text == "c"));
        let broken: Arc<str> = "CREATE SCHEMA;".into();
        assert!(
            trees
                .of(&[&broken, &a])
                .iter()
                .map(Result::is_ok)
                .eq([false, true])
        );
    }
}
