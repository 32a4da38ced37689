//! Changes of stored entries, built up step by step.

use bytes::Bytes;
use nervix_store::Change;
use nspl::{Catalog, Transaction, model::EntityKind};

use super::{
    key::{FORMAT_KEY, entity_key, fingerprint_key, resource_prefix, run_key},
    load::FORMAT,
    run::RunState,
    state::State,
};

/// Bytes of the key that a domain's branch fingerprints are keyed with.
const FINGERPRINT_KEY_BYTES: usize = 32;

/// What one commit changes, and the catalog after it where that is known.
#[derive(Default)]
pub(crate) struct Edit {
    pub(super) changes: Vec<Change>,
    pub(super) candidate: Option<Catalog>,
}

/// The system gave no random bytes for a new domain's fingerprint key.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random bytes: {0}")]
pub(crate) struct NoEntropy(getrandom::Error);

impl Edit {
    /// What a transaction changes.
    pub(crate) fn of(transaction: &Transaction, base: &State) -> Result<Self, NoEntropy> {
        let mut edit = Self {
            candidate: Some(transaction.candidate.clone()),
            ..Self::default()
        };
        for change in &transaction.changes {
            let key = entity_key(&transaction.domain, &change.key);
            match (&change.before, &change.after) {
                (Some(before), Some(after)) if before.says_the_same(after) => {}
                (_, Some(after)) => edit.put(key, after.text.as_bytes().to_vec()),
                (Some(_), None) => edit.delete(key),
                (None, None) => {}
            }
            if change.key.kind == EntityKind::Resource && change.after.is_none() {
                let prefix = format!("{}{}/", resource_prefix(&transaction.domain), change.key.name);
                edit.delete_all(&prefix, base);
            }
            if change.key.kind == EntityKind::Domain {
                match (&change.before, &change.after) {
                    (None, Some(_)) => edit.found_domain(&change.key.name)?,
                    (Some(_), None) => edit.remove_domain(&change.key.name, base),
                    _ => {}
                }
            }
        }
        Ok(edit)
    }

    pub(crate) fn put(&mut self, key: String, value: impl Into<Bytes>) {
        if self.changes.is_empty() {
            self.changes.push(Change::Put {
                key: FORMAT_KEY.into(),
                value: FORMAT.into(),
            });
        }
        self.changes.push(Change::Put {
            key,
            value: value.into(),
        });
    }

    pub(crate) fn delete(&mut self, key: String) {
        self.changes.push(Change::Delete { key });
    }

    fn delete_all(&mut self, prefix: &str, base: &State) {
        for key in base.keys_from(prefix) {
            self.delete(key.to_owned());
        }
    }

    /// A new domain is stopped and has a fingerprint key of its own.
    fn found_domain(&mut self, domain: &str) -> Result<(), NoEntropy> {
        let mut fingerprint = vec![0; FINGERPRINT_KEY_BYTES];
        getrandom::fill(&mut fingerprint).map_err(NoEntropy)?;
        self.put(fingerprint_key(domain), fingerprint);
        self.put(run_key(domain), RunState::default().write());
        Ok(())
    }

    fn remove_domain(&mut self, domain: &str, base: &State) {
        self.delete(fingerprint_key(domain));
        self.delete(run_key(domain));
        self.delete_all(&resource_prefix(domain), base);
    }
}
