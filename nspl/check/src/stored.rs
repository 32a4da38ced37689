//! Trees of stored statements, many read at a time: to make the reader costs more than to read one statement.

use std::ops::Range;
use std::sync::Arc;

use nspl_syntax::entity::Entity as Tree;
use nspl_syntax::{Fault, Statement};

/// Spans of stored text count from here on: no script is as long, so they never point into the one at hand.
const APART: usize = usize::MAX / 4;

/// So much text is read at a time.
const CHUNK_BYTES: usize = 256 * 1024;

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
