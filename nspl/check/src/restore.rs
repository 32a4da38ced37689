//! From stored statements back to definitions. They were judged when they were committed, so a fault here means that
//! another release wrote them, or that they are damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nspl_model::{Definition, EntityKey};
use nspl_syntax::Span;
use nspl_syntax::entity::Entity as Tree;

use crate::candidate::{entity as catalog_entity, judge};
use crate::resolve::domain as resolve_domain;
use crate::script::model_kind;
use crate::stored::{self, Trees, Unreadable};
use crate::world::{Defined, Hidden, Overlay, Slot, Surroundings};
use crate::{Catalog, Diagnostic, Settings, Severity};

/// Why stored statements give no definitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RestoreError {
    /// There is no statement.
    Empty,
    /// A statement is refused.
    Refused {
        /// Which, from 0.
        index: usize,
        /// Why. Its span is of no use: it is not in a script.
        diagnostic: Box<Diagnostic>,
    },
}

/// The definition of the last statement; the others are what it refers to. All are CREATE statements of one domain, a
/// CREATE DOMAIN possibly among them.
///
/// # Errors
/// When there is no statement, or one is refused.
pub fn definition(domain: &str, statements: &[impl AsRef<str>]) -> Result<Definition, RestoreError> {
    let pairs: Vec<(&str, &str)> = statements
        .iter()
        .map(|statement| (domain, statement.as_ref()))
        .collect();
    let trees = read(&pairs)?;
    let Some(last) = trees.last().map(|tree| key_of(tree)) else {
        return Err(RestoreError::Empty);
    };
    let mut catalog = Catalog::default();
    define_unpaced(&mut catalog, domain);
    let catalog = assemble(catalog, &pairs, trees)?;
    catalog
        .get(domain, &last)
        .map(|entity| entity.definition.clone())
        .ok_or(RestoreError::Empty)
}

/// The catalog of stored statements: pairs of domain and CREATE statement, in any order; each domain has its CREATE
/// DOMAIN among them.
///
/// # Errors
/// When a statement is refused.
pub fn restore<'a>(
    statements: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Catalog, RestoreError> {
    let pairs: Vec<(&str, &str)> = statements.into_iter().collect();
    let trees = read(&pairs)?;
    assemble(Catalog::default(), &pairs, trees)
}

fn assemble(
    mut catalog: Catalog,
    pairs: &[(&str, &str)],
    trees: Vec<Arc<Tree>>,
) -> Result<Catalog, RestoreError> {
    let mut overlays: BTreeMap<&str, Overlay> = BTreeMap::new();
    for (index, ((domain, _), tree)) in pairs.iter().zip(trees).enumerate() {
        if let Tree::Domain(written) = &*tree {
            let mut faults = Vec::new();
            let definition =
                resolve_domain(written, &mut faults).ok_or_else(|| first_fault(index, faults))?;
            let model = Definition::Domain(definition.clone());
            let entity = catalog_entity(&key_of(&tree), &tree, model, &BTreeSet::new());
            catalog.define_domain(definition, entity);
            continue;
        }
        let key = key_of(&tree);
        let defined = Defined {
            statement: mark(index),
            tree,
        };
        overlays
            .entry(domain)
            .or_default()
            .insert(key, Slot::Defined(defined));
    }
    let settings = Settings {
        restoring: true,
        ..Settings::default()
    };
    for (domain, overlay) in &overlays {
        let judged = judge(
            &catalog,
            domain,
            overlay,
            (Surroundings::of(&settings), Hidden::NOTHING),
            &mut Trees::default(),
        );
        // What a release warns about is no reason not to read what was committed.
        let mut faults = judged.faults.into_iter();
        if let Some(fault) = faults.find(|fault| fault.severity == Severity::Error) {
            let index = fault.span.start.saturating_sub(MARKS);
            return Err(RestoreError::Refused {
                index,
                diagnostic: Box::new(fault),
            });
        }
        catalog = judged.catalog;
    }
    Ok(catalog)
}

/// Places of faults are turned into numbers of statements: no stored text is as long as this.
const MARKS: usize = usize::MAX / 2;

fn mark(index: usize) -> std::ops::Range<usize> {
    MARKS + index..MARKS + index
}

fn key_of(tree: &Tree) -> EntityKey {
    EntityKey::new(model_kind(tree.kind()), tree.name().text.as_str())
}

fn read(pairs: &[(&str, &str)]) -> Result<Vec<Arc<Tree>>, RestoreError> {
    let texts: Vec<&str> = pairs.iter().map(|(_, text)| *text).collect();
    let trees = stored::trees(&texts)
        .into_iter()
        .enumerate()
        .map(|(index, tree)| match tree {
            Ok(tree) => Ok(tree),
            Err(Unreadable::Fault(fault)) => Err(RestoreError::Refused {
                index,
                diagnostic: Box::new(Diagnostic::from(&fault)),
            }),
            Err(Unreadable::Other) => Err(RestoreError::Empty),
        });
    trees.collect()
}

fn first_fault(index: usize, faults: Vec<Diagnostic>) -> RestoreError {
    match faults.into_iter().next() {
        Some(fault) => RestoreError::Refused {
            index,
            diagnostic: Box::new(fault),
        },
        None => RestoreError::Empty,
    }
}

/// A worker is told the domain of an entity by name; what its statements say does not depend on the pacing.
fn define_unpaced(catalog: &mut Catalog, domain: &str) {
    let tree = nspl_syntax::domain::Domain {
        name: nspl_syntax::Name {
            text: domain.to_owned(),
            span: Span::default(),
        },
        pacing: nspl_syntax::domain::Pacing::Unpaced,
    };
    if let Some(definition) = resolve_domain(&tree, &mut Vec::new()) {
        let tree = Tree::Domain(tree);
        let model = Definition::Domain(definition.clone());
        let entity = catalog_entity(&key_of(&tree), &tree, model, &BTreeSet::new());
        catalog.define_domain(definition, entity);
    }
}
