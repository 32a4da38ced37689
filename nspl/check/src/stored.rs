//! Trees of stored statements, many read at a time: to make the reader costs more than to read one statement.

use std::sync::Arc;

use nspl_syntax::entity::Entity as Tree;
use nspl_syntax::{Fault, Span, Statement};

/// So much text is read at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// Why a text is no stored statement.
pub(crate) enum Unreadable {
    Fault(Fault),
    /// It is no CREATE.
    Other,
}

/// One tree per text, in order. Spans are of no meaning.
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

/// The tree of a stored statement, its spans outside of those of the statement that asks for it.
pub(crate) fn tree_for(text: &str, asking: Span) -> Option<Arc<Tree>> {
    match asking.start >= text.len() {
        true => tree(text).ok(),
        false => tree(&format!("{:width$}{text}", "", width = asking.end)).ok(),
    }
}

fn tree(text: &str) -> Result<Arc<Tree>, Unreadable> {
    let parsed = nspl_syntax::parse(text);
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
    let parsed = nspl_syntax::parse(&texts.join("\n"));
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
