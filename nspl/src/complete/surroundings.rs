//! What exists at the place of the cursor: the catalog, and what the statements before have made of it.
//!
//! The statements before are judged as a script is, so that transactions, USE and broken statements mean the same here.

use std::sync::Arc;

use nspl_check::{Catalog, Entity, Settings, check_script};
use nspl_model::{Definition, EntityKey, EntityKind, Schema};

/// Holds what a text creates where no domain of the catalog is in use.
const NOWHERE: &str = "nowhere_in_particular";

/// The catalog and domain in effect behind the statements before the cursor.
pub(super) struct Surroundings {
    catalog: Catalog,
    domain: String,
    /// Whether the domain stands in for one that is not known.
    invented: bool,
}

impl Surroundings {
    pub(super) fn read(earlier: &str, catalog: &Catalog, domain: Option<&str>) -> Surroundings {
        let known = domain.filter(|domain| catalog.domain(domain).is_some());
        let invented = known.is_none();
        let (base, begun_in) = match known {
            Some(domain) => (catalog.clone(), domain),
            None => (with_domain(catalog, NOWHERE), NOWHERE),
        };
        let settings = Settings::in_domain(Some(begun_in));
        let plan = check_script(&nspl_syntax::parse(earlier), earlier, &settings, &base).plan;
        Surroundings {
            catalog: plan.catalog,
            domain: plan.domain.unwrap_or_else(|| begun_in.to_owned()),
            invented,
        }
    }

    /// The entities of a kind, sorted by name.
    pub(super) fn list(&self, kind: EntityKind) -> Vec<Arc<Entity>> {
        let mut found = self.catalog.list(&self.domain, kind);
        if kind == EntityKind::Domain && self.invented {
            found.retain(|entity| &*entity.key.name != NOWHERE);
        }
        found
    }

    pub(super) fn definition(&self, kind: EntityKind, name: &str) -> Option<&Definition> {
        let entity = self.catalog.get(&self.domain, &EntityKey::new(kind, name))?;
        Some(&entity.definition)
    }

    /// The schema of a SCHEMA, or of the records of a RELAY, CODEC or BRANCH.
    pub(super) fn schema(&self, kind: EntityKind, name: &str) -> Option<&Arc<Schema>> {
        match self.definition(kind, name)? {
            Definition::Schema(schema) => Some(schema),
            Definition::Relay(relay) => Some(&relay.schema),
            Definition::Codec(codec) => Some(&codec.schema),
            Definition::Branch(branch) => Some(&branch.schema),
            _ => None,
        }
    }
}

fn with_domain(catalog: &Catalog, domain: &str) -> Catalog {
    let text = format!("CREATE IF NOT EXISTS DOMAIN {domain}");
    check_script(&nspl_syntax::parse(&text), &text, &Settings::default(), catalog)
        .plan
        .catalog
}
