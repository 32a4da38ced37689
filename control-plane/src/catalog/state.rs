//! The state at one revision: the catalog, and what is derived from it.
//!
//! The generation of an executed entity is the revision at which it, or anything it refers to, last changed, or at which
//! the graph was placed on its node if that was later. It is derived from stored revisions and therefore the same after a
//! restart and at every control plane.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use nervix_store::{Change, Revision, Snapshot};
use nspl::model::EntityKey;

use super::{
    key::{EntityRef, KeyKind, entity_key, fingerprint_key, placement_key, resource_key, run_key},
    load::{LoadError, catalog, check_format},
    node::{NodeRecord, Placement},
    resource::ResourceVersion,
    run::RunState,
};

/// Everything known at one revision.
pub(crate) struct State {
    snapshot: Snapshot,
    pub(crate) catalog: nspl::Catalog,
    /// Of executed entities, without regard to their placement.
    changed: BTreeMap<EntityRef, u64>,
    pub(crate) nodes: BTreeMap<String, NodeRecord>,
    pub(crate) placement: Option<Placement>,
}

impl State {
    /// Derives everything anew.
    pub(crate) fn of(snapshot: Snapshot) -> Result<Self, LoadError> {
        check_format(&snapshot)?;
        let catalog = catalog(&snapshot)?;
        let (nodes, placement) = nodes(&snapshot)?;
        let mut state = Self {
            snapshot,
            catalog,
            changed: BTreeMap::new(),
            nodes,
            placement,
        };
        for domain in state.catalog.domains() {
            for entity in state.catalog.entities(&domain) {
                state.measure(EntityRef::new(Arc::clone(&domain), entity.key.clone()));
            }
        }
        Ok(state)
    }

    /// The state after commits; `candidate` is the catalog after the last where the caller has it.
    pub(crate) fn after(
        &self,
        commits: Vec<(Revision, Vec<Change>)>,
        candidate: Option<nspl::Catalog>,
    ) -> Result<Self, LoadError> {
        let mut snapshot = self.snapshot.clone();
        let mut touched = Vec::new();
        for (revision, changes) in commits {
            snapshot.apply(revision, &changes);
            touch(&changes, &mut touched)?;
        }
        check_format(&snapshot)?;
        let catalog = match candidate {
            Some(candidate) => candidate,
            None if touched.is_empty() => self.catalog.clone(),
            None => catalog(&snapshot)?,
        };
        let (nodes, placement) = nodes(&snapshot)?;
        let mut state = Self {
            snapshot,
            catalog,
            changed: self.changed.clone(),
            nodes,
            placement,
        };
        for entity in state.with_dependents(touched) {
            state.measure(entity);
        }
        Ok(state)
    }

    pub(crate) fn revision(&self) -> Revision {
        self.snapshot.revision
    }

    /// The revision at which an entity's own statement was stored last.
    pub(crate) fn modified(&self, domain: &str, key: &EntityKey) -> u64 {
        self.snapshot
            .entries
            .get(&entity_key(domain, key))
            .map_or(0, |entry| entry.modified.0)
    }

    /// The generation of an executed entity.
    pub(crate) fn generation(&self, entity: &EntityRef) -> Option<u64> {
        let placed = self.placement.as_ref().map_or(0, |placement| placement.since);
        self.changed.get(entity).map(|changed| placed.max(*changed))
    }

    /// All executed entities with their generations, sorted.
    pub(crate) fn executed(&self) -> impl Iterator<Item = (&EntityRef, u64)> {
        let placed = self.placement.as_ref().map_or(0, |placement| placement.since);
        self.changed
            .iter()
            .map(move |(entity, changed)| (entity, placed.max(*changed)))
    }

    /// The executed entities of one domain, sorted.
    pub(crate) fn executed_in(&self, domain: &str) -> Vec<EntityRef> {
        self.changed
            .keys()
            .filter(|entity| &*entity.domain == domain)
            .cloned()
            .collect()
    }

    /// Whether a domain runs; one without a record is stopped.
    pub(crate) fn run(&self, domain: &str) -> RunState {
        let entry = self.snapshot.entries.get(&run_key(domain));
        entry
            .and_then(|entry| RunState::read(&entry.value))
            .unwrap_or_default()
    }

    /// What the branch fingerprints of a domain are keyed with.
    pub(crate) fn fingerprint(&self, domain: &str) -> Bytes {
        self.snapshot
            .entries
            .get(&fingerprint_key(domain))
            .map(|entry| entry.value.clone())
            .unwrap_or_default()
    }

    /// The versions of a resource, oldest first.
    pub(crate) fn resource_versions(&self, domain: &str, name: &str) -> Vec<(u64, ResourceVersion)> {
        let prefix = format!("resource/{domain}/{name}/");
        let keys = self.keys_from(&prefix);
        let versions = keys.filter_map(|key| match KeyKind::parse(key)? {
            KeyKind::Resource { version, .. } => Some((
                version,
                ResourceVersion::read(&self.snapshot.entries.get(key)?.value)?,
            )),
            _ => None,
        });
        versions.collect()
    }

    /// The number of the latest version of a resource, 0 when there is none.
    pub(crate) fn latest_version(&self, domain: &str, name: &str) -> u64 {
        let prefix = format!("resource/{domain}/{name}/");
        let last = self.keys_from(&prefix).last();
        match last.and_then(KeyKind::parse) {
            Some(KeyKind::Resource { version, .. }) => version,
            _ => 0,
        }
    }

    /// One version of a resource.
    pub(crate) fn resource_version(&self, domain: &str, name: &str, version: u64) -> Option<ResourceVersion> {
        let entry = self.snapshot.entries.get(&resource_key(domain, name, version))?;
        ResourceVersion::read(&entry.value)
    }

    /// The blobs that some version of some resource names.
    pub(crate) fn blobs(&self) -> BTreeSet<String> {
        let entries = self.snapshot.entries.range("resource/".to_owned()..);
        let resources = entries.take_while(|(key, _)| key.starts_with("resource/"));
        resources
            .filter_map(|(_, entry)| Some(ResourceVersion::read(&entry.value)?.blob))
            .collect()
    }

    /// Stored keys that begin with `prefix`, sorted.
    pub(crate) fn keys_from<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let keys = self
            .snapshot
            .entries
            .range(prefix.to_owned()..)
            .map(|(key, _)| key.as_str());
        keys.take_while(move |key| key.starts_with(prefix))
    }

    /// Sets or removes when an executed entity last changed.
    fn measure(&mut self, entity: EntityRef) {
        if !entity.is_executed() {
            return;
        }
        let closure = self.catalog.closure(&entity.domain, &entity.key);
        let changed = closure
            .iter()
            .map(|part| self.modified(&entity.domain, &part.key))
            .max();
        match changed {
            Some(changed) => drop(self.changed.insert(entity, changed)),
            None => drop(self.changed.remove(&entity)),
        }
    }

    /// The entities and everything that refers to them, directly or not.
    fn with_dependents(&self, entities: Vec<EntityRef>) -> BTreeSet<EntityRef> {
        let mut found = BTreeSet::new();
        let mut open = entities;
        while let Some(entity) = open.pop() {
            let dependents = self.catalog.dependents(&entity.domain, &entity.key);
            if found.insert(entity.clone()) {
                open.extend(
                    dependents
                        .into_iter()
                        .map(|key| EntityRef::new(Arc::clone(&entity.domain), key)),
                );
            }
        }
        found
    }
}

fn touch(changes: &[Change], touched: &mut Vec<EntityRef>) -> Result<(), LoadError> {
    for change in changes {
        let (Change::Put { key, .. } | Change::Delete { key }) = change;
        match KeyKind::parse(key) {
            Some(KeyKind::Entity(entity)) => touched.push(entity),
            Some(_) => {}
            None => return Err(LoadError::Entry { key: key.clone() }),
        }
    }
    Ok(())
}

type Nodes = (BTreeMap<String, NodeRecord>, Option<Placement>);

fn nodes(snapshot: &Snapshot) -> Result<Nodes, LoadError> {
    let mut nodes = BTreeMap::new();
    let entries = snapshot.entries.range("node/".to_owned()..);
    for (key, entry) in entries.take_while(|(key, _)| key.starts_with("node/")) {
        let unreadable = || LoadError::Entry { key: key.clone() };
        let Some(KeyKind::Node(name)) = KeyKind::parse(key) else {
            return Err(unreadable());
        };
        nodes.insert(name, NodeRecord::read(&entry.value).ok_or_else(unreadable)?);
    }
    let placement = match snapshot.entries.get(&placement_key()) {
        Some(entry) => {
            let unreadable = || LoadError::Entry { key: placement_key() };
            Some(Placement::read(&entry.value, entry.modified.0).ok_or_else(unreadable)?)
        }
        None => None,
    };
    Ok((nodes, placement))
}
