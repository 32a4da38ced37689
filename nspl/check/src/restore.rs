//! From stored statements back to definitions. They were judged when they were committed, so a fault here means that
//! another release wrote them, or that they are damaged.

use std::collections::BTreeMap;
use std::sync::Arc;

use nspl_model::{Definition, EntityKey};
use nspl_syntax::entity::Entity as Tree;
use nspl_syntax::{Span, Statement};

use crate::candidate::{entity as catalog_entity, judge};
use crate::resolve::domain as resolve_domain;
use crate::script::model_kind;
use crate::world::{Defined, Overlay, Slot};
use crate::{Catalog, Diagnostic, Settings};

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
    let Some((_, last)) = pairs.last() else {
        return Err(RestoreError::Empty);
    };
    let tree = read(pairs.len() - 1, last)?;
    let key = key_of(&tree);
    let (catalog, spare) = assemble(&pairs, true)?;
    let found = catalog.get(domain, &key).map(|entity| entity.definition.clone());
    found.or(spare).ok_or(RestoreError::Empty)
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
    assemble(&pairs, false).map(|(catalog, _)| catalog)
}

fn assemble(
    pairs: &[(&str, &str)],
    domain_given: bool,
) -> Result<(Catalog, Option<Definition>), RestoreError> {
    let mut catalog = Catalog::default();
    let mut overlays: BTreeMap<&str, Overlay> = BTreeMap::new();
    for (index, (domain, text)) in pairs.iter().enumerate() {
        let tree = read(index, text)?;
        if let Tree::Domain(written) = &tree {
            let mut faults = Vec::new();
            let definition =
                resolve_domain(written, &mut faults).ok_or_else(|| first_fault(index, faults))?;
            let model = Definition::Domain(definition.clone());
            let entity = catalog_entity(&key_of(&tree), &tree, model, &Default::default());
            catalog.define_domain(definition, entity);
            continue;
        }
        let defined = Defined {
            statement: mark(index),
            altered: true,
            tree: Arc::new(tree),
        };
        overlays
            .entry(domain)
            .or_default()
            .insert(key_of(&defined.tree), Slot::Defined(defined));
    }
    for (domain, overlay) in &overlays {
        if catalog.domain(domain).is_none() && domain_given {
            define_unpaced(&mut catalog, domain);
        }
        let judged = judge(&catalog, domain, overlay, &Settings::default(), false);
        if let Some(fault) = judged.faults.into_iter().next() {
            let index = fault.span.start.saturating_sub(MARKS);
            return Err(RestoreError::Refused {
                index,
                diagnostic: Box::new(fault),
            });
        }
        catalog = judged.catalog;
    }
    Ok((catalog, None))
}

/// Places of faults are turned into numbers of statements: no stored text is as long as this.
const MARKS: usize = usize::MAX / 2;

fn mark(index: usize) -> std::ops::Range<usize> {
    MARKS + index..MARKS + index
}

fn key_of(tree: &Tree) -> EntityKey {
    EntityKey::new(model_kind(tree.kind()), tree.name().text.as_str())
}

fn read(index: usize, text: &str) -> Result<Tree, RestoreError> {
    let parsed = nspl_syntax::parse(text);
    if let Some(fault) = parsed.faults.first() {
        return Err(RestoreError::Refused {
            index,
            diagnostic: Box::new(fault.into()),
        });
    }
    match parsed
        .statements
        .into_iter()
        .next()
        .map(|statement| statement.node)
    {
        Some(Statement::Create(create)) => Ok(create.entity),
        _ => Err(RestoreError::Empty),
    }
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
        let entity = catalog_entity(&key_of(&tree), &tree, model, &Default::default());
        catalog.define_domain(definition, entity);
    }
}
