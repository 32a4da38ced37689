//! A transaction's candidate: judged as a whole at COMMIT, and what differs from the catalog.

mod pin;
mod ring;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use nspl_model::{Definition, EntityKey, EntityKind};
use nspl_syntax::entity::{Create, Entity as Tree};
use nspl_syntax::{Statement, print};

use pin::pin;

use crate::catalog::DomainChange;
use crate::change::changes;
use crate::resolve::resolve;
use crate::rules;
use crate::stored::{self, Trees};
use crate::world::{Defined, Hidden, Overlay, Slot, Surroundings, World};
use crate::{Catalog, Change, Diagnostic, Entity, Severity};

/// What a transaction comes to.
pub(crate) struct Judged {
    pub(crate) faults: Vec<Diagnostic>,
    /// As far as it is without faults.
    pub(crate) catalog: Catalog,
    pub(crate) changes: Vec<Change>,
    /// What the catalog does not hold as it was meant to be: nothing is said about it later.
    pub(crate) hidden: Vec<EntityKey>,
}

/// Judges the changes of a transaction over a catalog, as long as anybody waits for it.
pub(crate) fn judge(
    catalog: &Catalog,
    domain: &str,
    overlay: &Overlay,
    (surroundings, hidden): (Surroundings<'_>, Hidden<'_>),
    trees: &mut Trees,
) -> Judged {
    let mut world = World::new(catalog, domain, overlay, surroundings, hidden);
    let mut faults = dropped_in_use(&world);
    let mut judged = BTreeMap::new();
    for (key, source, tree) in affected(&world, trees) {
        if !(world.is_wanted)() {
            break;
        }
        let resolution = resolve(&world, &key, &tree);
        let refused = resolution
            .faults
            .iter()
            .any(|fault| fault.severity == Severity::Error);
        let whole = resolution.definition.filter(|_| !refused);
        faults.extend(place_faults(&world, &key, &source, resolution.faults));
        world.resolved.insert(key.clone(), whole.clone());
        if let Some(definition) = whole {
            let pinned = pin(&tree, &definition);
            let entity = entity(
                &key,
                pinned.as_ref().unwrap_or(&tree),
                definition,
                &resolution.refers,
            );
            judged.insert(key, entity);
        }
    }
    let refused = refused(&world);
    let resolved: BTreeSet<&EntityKey> = judged.keys().collect();
    faults.extend(ring::rings(&world, resolved));
    let mut candidate = catalog.clone();
    let gone = overlay
        .iter()
        .filter(|(_, slot)| matches!(slot, Slot::Dropped(_)))
        .map(|(key, _)| key.clone());
    let change = DomainChange {
        removed: gone.collect(),
        defined: judged.into_values().collect(),
    };
    let changes = changes(catalog, domain, &change);
    candidate.apply(domain, change);
    Judged {
        faults,
        catalog: candidate,
        changes,
        hidden: refused,
    }
}

/// What was refused, and what was not judged or dropped because of a fault.
fn refused(world: &World<'_>) -> Vec<EntityKey> {
    let faulty = world
        .resolved
        .iter()
        .filter(|(_, definition)| definition.is_none())
        .map(|(key, _)| key.clone());
    let overlaid = world.overlay.iter().filter(|(key, slot)| match slot {
        Slot::Defined(_) => false,
        Slot::Hidden => true,
        Slot::Dropped(_) => !users_of_dropped(world, key).is_empty(),
    });
    faulty.chain(overlaid.map(|(key, _)| key.clone())).collect()
}

#[derive(Clone)]
enum Source {
    Fresh(Defined),
    Stored(Arc<Entity>),
}

impl Source {
    fn text(&self) -> Option<&Arc<str>> {
        match self {
            Source::Fresh(_) => None,
            Source::Stored(entity) => Some(&entity.text),
        }
    }
}

/// What has to be judged: what the transaction defines, and what refers to that, each after what it refers to.
fn affected(world: &World<'_>, trees: &mut Trees) -> Vec<(EntityKey, Source, Arc<Tree>)> {
    let mut found: BTreeMap<EntityKey, Source> = BTreeMap::new();
    let mut open: Vec<EntityKey> = Vec::new();
    for (key, slot) in world.overlay {
        if let Slot::Defined(defined) = slot {
            found.insert(key.clone(), Source::Fresh(defined.clone()));
            open.push(key.clone());
        }
    }
    while let Some(key) = open.pop() {
        for user in world.catalog.dependents(world.domain, &key) {
            let untouched = !found.contains_key(&user) && !world.touches(&user);
            if let Some(entity) = world.catalog.get(world.domain, &user).filter(|_| untouched) {
                found.insert(user.clone(), Source::Stored(entity.clone()));
                open.push(user);
            }
        }
    }
    let rank = |key: &EntityKey| EntityKind::ALL.iter().position(|kind| *kind == key.kind);
    let texts: Vec<&Arc<str>> = found.values().filter_map(Source::text).collect();
    let mut stored = trees.of(&texts).into_iter();
    let found = found.iter().filter_map(|(key, source)| {
        let tree = match source {
            Source::Fresh(defined) => defined.tree.clone(),
            Source::Stored(_) => stored.next()?.ok()?,
        };
        Some((key.clone(), source.clone(), tree))
    });
    let mut found: Vec<(EntityKey, Source, Arc<Tree>)> = found.collect();
    found.sort_by_key(|(key, ..)| rank(key));
    found
}

/// Dropping what stored entities still use.
fn dropped_in_use(world: &World<'_>) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for (key, slot) in world.overlay {
        let Slot::Dropped(place) = slot else { continue };
        let users = users_of_dropped(world, key);
        if !users.is_empty() {
            faults.push(rules::in_use::fault(place.clone(), key, &users));
        }
    }
    faults
}

fn users_of_dropped(world: &World<'_>, key: &EntityKey) -> Vec<EntityKey> {
    let users = world.catalog.dependents(world.domain, key).into_iter();
    users.filter(|user| !world.touches(user)).collect()
}

/// Faults of what the script writes stand where they are; those of stored text stand at the statement that brings
/// them about.
fn place_faults(
    world: &World<'_>,
    key: &EntityKey,
    source: &Source,
    faults: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    match source {
        Source::Fresh(defined) => faults
            .into_iter()
            .map(|fault| in_script(fault, &defined.statement))
            .collect(),
        Source::Stored(entity) => {
            let errors = faults
                .into_iter()
                .filter(|fault| fault.severity == Severity::Error);
            let first = errors.min_by_key(|fault| fault.span.start);
            let cause = cause(world, entity);
            first
                .zip(cause)
                .map(|(fault, cause)| rules::breaks_user::fault(cause, key, &fault))
                .into_iter()
                .collect()
        }
    }
}

/// A fault none of whose places is one of stored text.
fn in_script(mut fault: Diagnostic, statement: &Range<usize>) -> Diagnostic {
    if !stored::in_script(&fault.span) {
        fault.span = statement.clone();
    }
    fault.labels.retain(|label| stored::in_script(&label.span));
    fault
}

/// The statement of the script that changes what a stored entity refers to, directly or not.
fn cause(world: &World<'_>, entity: &Entity) -> Option<Range<usize>> {
    let mut open: Vec<EntityKey> = entity.refers.to_vec();
    let mut seen = BTreeSet::new();
    while let Some(key) = open.pop() {
        if !seen.insert(key.clone()) {
            continue;
        }
        if let Some(Slot::Defined(defined)) = world.overlay.get(&key) {
            return Some(defined.statement.clone());
        }
        open.extend(world.catalog.dependencies(world.domain, &key));
    }
    None
}

/// The catalog's form of an entity: IF NOT EXISTS is no part of what it says.
pub(crate) fn entity(
    key: &EntityKey,
    tree: &Tree,
    definition: Definition,
    refers: &BTreeSet<EntityKey>,
) -> Arc<Entity> {
    let statement = Statement::Create(Create {
        if_not_exists: false,
        entity: tree.clone(),
    });
    Arc::new(Entity {
        key: key.clone(),
        text: print(&statement).into(),
        definition,
        refers: refers.iter().cloned().collect(),
    })
}
