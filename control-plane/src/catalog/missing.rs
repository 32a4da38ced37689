//! The sentence about something that is not there: which end is missing, and the nearest name that is there. The name
//! asked for can be anything, so what of it would not be seen is escaped.

use nspl::{
    Catalog,
    model::{EntityKey, EntityKind},
    nearest,
};

/// What is missing of an entity of a domain: the domain itself, or the entity.
pub(crate) fn missing(catalog: &Catalog, domain: &str, key: &EntityKey) -> String {
    if key.kind == EntityKind::Domain || catalog.domain(domain).is_none() {
        return no_domain(catalog, domain);
    }
    let known = catalog.list(domain, key.kind);
    let near = nearest(&key.name, known.iter().map(|entity| &*entity.key.name));
    let key = key.to_string();
    format!(
        "there is no {} in domain {domain}{}",
        key.escape_debug(),
        meant(near)
    )
}

/// There is no such domain.
pub(crate) fn no_domain(catalog: &Catalog, domain: &str) -> String {
    let known = catalog.domains();
    let near = nearest(domain, known.iter().map(|known| &**known));
    format!("there is no domain {}{}", domain.escape_debug(), meant(near))
}

fn meant(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean {near}?"))
        .unwrap_or_default()
}
