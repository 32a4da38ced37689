//! CLIENT and RESOURCE (companion section 13, rulings section 8).

mod address;
mod value;

use std::collections::HashMap;
use std::sync::Arc;

use nspl_model::{
    BondTakes, ClientDef, ClientKind, ConfigValue, EntityKind, MountDef, TlsWhen, placeholders,
};
use nspl_syntax::Span;
use nspl_syntax::client as tree;
use nspl_syntax::resource::Version;

use super::Resolver;
use crate::nearest::not_meant;
use crate::rules;
use address::Address;

/// The most connections of a pool.
const POOL_MAX: u32 = 1_024;

/// The key that names the certificate authorities of a TLS connection.
const TLS_CA: &str = "tls_ca_file";

/// What a CONFIG holds, with its places.
struct Entries<'t> {
    kind: ClientKind,
    values: Vec<(&'t tree::ConfigEntry, ConfigValue)>,
    /// Every key that is written, those with a faulty value among them.
    written: HashMap<&'t str, Span>,
    place: Span,
}

impl Entries<'_> {
    fn place(&self, key: &str) -> Option<Span> {
        self.written.get(key).copied()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.values
            .iter()
            .find(|(entry, _)| entry.key.value == key)
            .and_then(|(_, value)| match value {
                ConfigValue::Text(text) => Some(text.as_str()),
                _ => None,
            })
    }

    fn whole(&self, key: &str) -> Option<u64> {
        let (_, value) = self.values.iter().find(|(entry, _)| entry.key.value == key)?;
        match value {
            ConfigValue::Number(number) => number.parse().ok(),
            _ => None,
        }
    }
}

impl Resolver<'_> {
    pub(super) fn client_definition(&mut self, tree: &tree::Client) -> Option<Arc<ClientDef>> {
        let mount = match &tree.mount {
            Some(mount) => self.mount(mount).map(Some),
            None => Some(None),
        };
        let Some(kind) = ClientKind::from_name(&tree.kind.text) else {
            self.faults.push(rules::client_kind::fault(&tree.kind));
            return None;
        };
        let pool = self.pool(tree, kind);
        let faults_before = self.faults.len();
        let entries = self.entries(tree, kind);
        self.missing_keys(tree, &entries);
        self.together(&entries);
        self.tls(&entries);
        self.mounted(tree, &entries);
        self.bonds(&entries);
        self.files(tree, &entries);
        let clean = self.is_clean_since(faults_before);
        let config = entries
            .values
            .into_iter()
            .map(|(entry, value)| (entry.key.value.clone(), value))
            .collect();
        let (pool, mount) = (pool?, mount?);
        clean.then(|| {
            Arc::new(ClientDef {
                name: tree.name.text.clone(),
                kind,
                pool,
                mount,
                config,
            })
        })
    }

    fn mount(&mut self, tree: &tree::Mount) -> Option<MountDef> {
        let resource = self.refer(EntityKind::Resource, &tree.resource);
        let version = self.version(&tree.version);
        resource?;
        Some(MountDef {
            resource: tree.resource.text.clone(),
            version: self.mounted_version(&tree.resource, version?)?,
        })
    }

    /// A written version; `Some(None)`: the latest.
    pub(super) fn version(&mut self, tree: &Version) -> Option<Option<u64>> {
        match tree {
            Version::Latest => Some(None),
            Version::Number(number) => match number.value().filter(|number| *number > 0) {
                Some(number) => Some(Some(number)),
                None => {
                    self.faults.push(rules::range::number(
                        number.span,
                        "VERSION",
                        &number.digits,
                        u64::MAX,
                    ));
                    None
                }
            },
        }
    }

    fn pool(&mut self, tree: &tree::Client, kind: ClientKind) -> Option<Option<(u32, u32)>> {
        let pool = match (&tree.pool, kind.shape().pool) {
            (None, false) => return Some(None),
            (None, true) => {
                self.faults
                    .push(rules::client_pool::missing(tree.kind.span, kind));
                return None;
            }
            (Some(pool), false) => {
                self.faults.push(rules::client_pool::barred(pool.span, kind));
                return None;
            }
            (Some(pool), true) => pool,
        };
        let count =
            |number: &nspl_syntax::quantity::Whole| number.value().and_then(|n| u32::try_from(n).ok());
        match (count(&pool.min), count(&pool.max)) {
            (Some(min), Some(max)) if min <= max && (1..=POOL_MAX).contains(&max) => Some(Some((min, max))),
            _ => {
                self.faults.push(rules::client_pool::range(pool.span, POOL_MAX));
                None
            }
        }
    }

    fn entries<'t>(&mut self, tree: &'t tree::Client, kind: ClientKind) -> Entries<'t> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut written: HashMap<&str, Span> = HashMap::new();
        let mut values = Vec::new();
        for entry in &tree.config.entries {
            let key = entry.key.value.as_str();
            if let Some(before) = seen.insert(key, entry.key.span) {
                self.faults
                    .push(rules::doubled_target::fault(entry.key.span, key, before));
                continue;
            }
            if kind.shape().owned.contains(&key) {
                self.faults.push(rules::client_key::owned(&entry.key));
                continue;
            }
            let runs_code = kind.shape().foreign_code.contains(&key);
            if runs_code && self.world.is_fresh(self.owner) {
                self.faults.push(rules::client_key::foreign_code(&entry.key));
                continue;
            }
            let shape = match kind.shape().keys.iter().find(|known| known.name == key) {
                Some(known) => Some(known.shape),
                // What runs code and is stored was accepted by a release before.
                None if kind.shape().passes_on(key) || runs_code => None,
                None => {
                    self.faults.push(rules::client_key::unknown(&entry.key, kind));
                    continue;
                }
            };
            written.insert(key, entry.key.span);
            match value::value(entry, kind, shape) {
                Ok(value) => values.push((entry, value)),
                Err(fault) => self.faults.push(*fault),
            }
        }
        Entries {
            kind,
            values,
            written,
            place: tree.config.span,
        }
    }

    fn missing_keys(&mut self, tree: &tree::Client, entries: &Entries<'_>) {
        let missing = entries
            .kind
            .shape()
            .keys
            .iter()
            .filter(|key| key.required && entries.place(key.name).is_none());
        let keys = tree.config.entries.iter().map(|entry| entry.key.value.as_str());
        let unknown = keys.filter(|key| entries.place(key).is_none());
        let missing = not_meant(missing.map(|key| key.name).collect(), unknown);
        if !missing.is_empty() {
            self.faults.push(rules::client_missing_key::fault(
                entries.place,
                entries.kind,
                &missing,
            ));
        }
    }

    fn together(&mut self, entries: &Entries<'_>) {
        for (a, b) in entries.kind.shape().pairs {
            match (entries.place(a), entries.place(b)) {
                (Some(place), None) => self.faults.push(rules::client_pair::alone(place, a, b)),
                (None, Some(place)) => self.faults.push(rules::client_pair::alone(place, b, a)),
                _ => {}
            }
        }
        for (key, needed) in entries.kind.shape().needs {
            if let (Some(place), None) = (entries.place(key), entries.place(needed)) {
                self.faults.push(rules::client_pair::alone(place, key, needed));
            }
        }
        let chosen = entries.kind.shape().alternatives.iter();
        let chosen: Vec<(&str, Span)> = chosen
            .filter_map(|key| entries.place(key).map(|place| (*key, place)))
            .collect();
        if let [(first, before), (second, place), ..] = chosen.as_slice() {
            self.faults
                .push(rules::client_pair::both(*place, second, (first, *before)));
        }
    }

    /// Keys of TLS stand where the connection is a TLS one.
    fn tls(&mut self, entries: &Entries<'_>) {
        let Some(when) = entries.kind.shape().tls else {
            return;
        };
        let known = match when {
            TlsWhen::Scheme(key, _) | TlsWhen::Parameter(key, ..) | TlsWhen::Value(key, _) => {
                entries.text(key).is_some()
            }
        };
        let (encrypted, how) = match when {
            TlsWhen::Scheme(key, schemes) => {
                let scheme = entries
                    .text(key)
                    .and_then(Address::parse)
                    .map(|found| found.scheme);
                (
                    scheme.is_none_or(|scheme| schemes.contains(&scheme)),
                    format!("{}:// in {key}", schemes.join(":// or ")),
                )
            }
            TlsWhen::Parameter(key, (name, value), schemes) => {
                let address = entries.text(key).and_then(Address::parse);
                let found = address
                    .as_ref()
                    .is_none_or(|address| match address.parameter(name) {
                        Some(written) => written == value,
                        None => schemes.contains(&address.scheme),
                    });
                (found, format!("{name}={value} in {key}"))
            }
            TlsWhen::Value(key, value) => (
                entries.text(key).is_none_or(|text| text == value),
                format!("'{key}' = '{value}'"),
            ),
        };
        if encrypted {
            if entries.kind.shape().tls_needs_ca && known && entries.place(TLS_CA).is_none() {
                self.faults.push(rules::client_tls::needs_ca(entries.place, &how));
            }
            return;
        }
        let mut keys = entries.kind.shape().keys.iter().filter(|key| key.is_of_tls());
        if let Some((key, place)) = keys.find_map(|key| Some((key.name, entries.place(key.name)?))) {
            self.faults.push(rules::client_tls::fault(place, key, &how));
        }
    }

    /// `{{ resource }}` names what is mounted.
    fn mounted(&mut self, tree: &tree::Client, entries: &Entries<'_>) {
        for (entry, value) in &entries.values {
            let ConfigValue::Text(text) = value else { continue };
            for name in placeholders(text) {
                let mounted = tree.mount.as_ref().map(|mount| mount.resource.text.as_str());
                if mounted != Some(name) {
                    self.faults
                        .push(rules::client_mount::fault(entry.value.span, name, mounted));
                }
            }
        }
    }

    /// Where workers have the files of mounts alone, no path leads out of one. What is stored already is not judged again.
    fn files(&mut self, tree: &tree::Client, entries: &Entries<'_>) {
        if !self.world.settings.mounts_only || !self.world.is_fresh(self.owner) {
            return;
        }
        let mounted = tree.mount.as_ref().map(|mount| mount.resource.text.as_str());
        for (entry, value) in &entries.values {
            let key = entry.key.value.as_str();
            if let ConfigValue::Text(text) = value
                && entries.kind.shape().is_file(key)
                && !value::is_in_mount(text)
            {
                self.faults
                    .push(rules::client_file::fault(entry.value.span, key, mounted));
            }
        }
    }

    /// What one key takes where another has a certain value.
    fn bonds(&mut self, entries: &Entries<'_>) {
        for bond in entries.kind.shape().between {
            let (other, value) = bond.when;
            let breaks = match bond.takes {
                BondTakes::Word(word) => entries.text(bond.key).is_some_and(|text| text != word),
                BondTakes::AtMost(most) => entries.whole(bond.key).is_some_and(|number| number > most),
            };
            if let Some(place) = entries.place(bond.key)
                && breaks
                && entries.text(other) == Some(value)
            {
                self.faults.push(rules::client_value::bound(place, bond));
            }
        }
    }
}
