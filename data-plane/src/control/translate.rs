//! Between `nervix.worker.v1` and the worker's own words.

use nervix_clock::{DomainTime, TimeRate, UtcTime};
use nervix_proto::worker::v1;
use nspl_model::{Definition, Pacing};

use crate::{
    assignments::{
        ChangeSet, DomainSpec, EntityName, EntitySpec, Executed, ExecutedKind, Pace, StartFailure, Subject,
    },
    events::Event,
};

const KEY_BYTES: usize = 32;

/// A change, and in it what of it could not be read.
pub(crate) fn change_set(parts: Vec<v1::Assign>) -> ChangeSet {
    let mut change = ChangeSet::default();
    for part in parts {
        change.full |= part.full;
        if !part.moved_to.is_empty() {
            change.moved_to = Some(part.moved_to.into());
        }
        change.removed_domains.extend(part.removed_domains);
        change.removed.extend(part.removed.iter().filter_map(entity_name));
        for domain in part.domains {
            let name = domain.name.clone();
            match domain_spec(domain) {
                Ok(spec) => change.domains.push(spec),
                Err(message) => {
                    tracing::error!(message, "an assigned domain cannot be read");
                    change.unreadable_domains.insert(name, message);
                }
            }
        }
        for assignment in part.assignments {
            let generation = assignment.generation;
            let Some(entity) = assignment.entity.as_ref().and_then(entity_name) else {
                tracing::error!("an assignment names no entity that a worker executes");
                continue;
            };
            match executed(&entity, &assignment.statements) {
                Ok(definition) => change.entities.push(EntitySpec {
                    entity,
                    generation,
                    definition,
                }),
                Err(message) => change.unreadable.push(StartFailure {
                    entity,
                    generation,
                    message,
                }),
            }
        }
    }
    change
}

/// An entity that a worker executes.
pub(crate) fn entity_name(id: &v1::EntityId) -> Option<EntityName> {
    Some(EntityName::new(
        &id.domain,
        ExecutedKind::of_word(&id.kind)?,
        &id.name,
    ))
}

/// What DESCRIBE asks of this worker; nothing for kinds of which it knows no more than the catalog.
pub(crate) fn subject(id: &v1::EntityId) -> Option<Subject> {
    match id.kind.as_str() {
        "RELAY" => Some(Subject::Relay {
            domain: id.domain.clone(),
            name: id.name.clone(),
        }),
        "DOMAIN" => Some(Subject::Node),
        _ => entity_name(id).map(Subject::Entity),
    }
}

/// The same, back.
pub(crate) fn entity_id(entity: &EntityName) -> v1::EntityId {
    v1::EntityId {
        domain: entity.domain.to_string(),
        kind: entity.kind.word().to_owned(),
        name: entity.name.to_string(),
    }
}

/// What could not be started.
pub(crate) fn failure(failure: StartFailure) -> v1::Failure {
    v1::Failure {
        entity: Some(entity_id(&failure.entity)),
        message: failure.message,
        generation: failure.generation,
    }
}

/// A runtime event.
pub(crate) fn runtime_event(event: Event) -> v1::RuntimeEvent {
    v1::RuntimeEvent {
        at_ns: event.at_ns,
        entity: Some(entity_id(&event.entity)),
        kind: event.kind.to_owned(),
        message: event.message,
    }
}

fn domain_spec(domain: v1::Domain) -> Result<DomainSpec, String> {
    let name = domain.name;
    let definition =
        nspl::definition(&name, &[&domain.statement]).map_err(|error| format!("{name}: {error}"))?;
    let Definition::Domain(def) = definition else {
        return Err(format!("the statement of domain {name} defines something else"));
    };
    let fingerprint_key: [u8; KEY_BYTES] = domain
        .fingerprint_key
        .as_slice()
        .try_into()
        .map_err(|_| format!("the fingerprint key of domain {name} has not {KEY_BYTES} bytes"))?;
    let pace = match def.pacing {
        Pacing::Unpaced => None,
        Pacing::Paced { .. } => Some(Pace {
            started_at: UtcTime(domain.started_at_ns),
            start: DomainTime(domain.start_domain_time_ns),
            rate: TimeRate::new(domain.time_rate).unwrap_or(TimeRate::ONE),
        }),
    };
    Ok(DomainSpec {
        name,
        running: domain.running,
        run_generation: domain.run_generation,
        fingerprint_key,
        pace,
    })
}

fn executed(entity: &EntityName, statements: &[String]) -> Result<Executed, String> {
    let definition = nspl::definition(&entity.domain, statements);
    match definition.map_err(|error| format!("the definition cannot be read: {error}"))? {
        Definition::Ingestor(def) if entity.kind == ExecutedKind::Ingestor => Ok(Executed::Ingestor(def)),
        Definition::Emitter(def) if entity.kind == ExecutedKind::Emitter => Ok(Executed::Emitter(def)),
        other => Err(format!(
            "the definition is one of {} {}",
            other.kind(),
            other.name()
        )),
    }
}
