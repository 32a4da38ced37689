//! The reading statements: SHOW CREATE, SHOW, DESCRIBE, SHOW CLUSTER STATUS.
//!
//! What the catalog knows is written here; what only the executing node knows comes from it, with a bound on the wait.
//! Secrets are masked. No value of a record is ever part of it.

mod emitter;
mod entity;
mod ingestor;

use std::sync::Arc;

use nspl::{
    Catalog, Read,
    model::{Definition, EntityKey, EntityKind},
};

use crate::{
    catalog::{EntityRef, State},
    change::Table,
    cluster::Cluster,
    rollout::{Described, Line},
};

/// What a reading statement says: as text, and as rows.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) table: Table,
}

/// Reads one state.
pub(crate) struct Reader<'a> {
    pub(crate) state: Arc<State>,
    pub(crate) cluster: &'a Cluster,
}

/// What the executing node says of an entity, or why it says nothing.
pub(crate) enum Live {
    Told(Described),
    /// No node executes it.
    Unplaced,
    /// Its node does not answer, or could not start it.
    Silent(String),
}

/// Whether a part of the answer is known to the node that executes the graph alone.
pub(crate) fn asks_the_node(read: &Read) -> bool {
    match read {
        Read::Describe(key) => matches!(
            key.kind,
            EntityKind::Emitter | EntityKind::Ingestor | EntityKind::Relay | EntityKind::Domain
        ),
        Read::DescribeDomain => true,
        Read::ShowCreate(_) | Read::List(_) | Read::ClusterStatus => false,
    }
}

impl Reader<'_> {
    /// `catalog` is what the statement reads: inside BEGIN the candidate so far.
    pub(crate) async fn read(&self, domain: &str, read: &Read, catalog: &Catalog) -> Answer {
        match read {
            Read::ShowCreate(key) => show_create(domain, key, catalog),
            Read::List(kind) => self.list(domain, *kind, catalog),
            Read::Describe(key) => table_of(self.describe(domain, key, catalog).await.lines),
            Read::DescribeDomain => {
                let key = EntityKey::new(EntityKind::Domain, domain);
                table_of(self.describe(domain, &key, catalog).await.lines)
            }
            Read::ClusterStatus => self.cluster().await,
        }
    }

    /// The lines of DESCRIBE, in order, and the numbers of an emitter; none when there is no such entity.
    pub(crate) async fn describe(&self, domain: &str, key: &EntityKey, catalog: &Catalog) -> Described {
        let Some(entity) = catalog.get(domain, key) else {
            return Described::default();
        };
        let mut emitter_status = Vec::new();
        let lines = match &entity.definition {
            Definition::Emitter(_) | Definition::Ingestor(_) => {
                let reference = EntityRef::new(domain, key.clone());
                let live = self.live(&reference).await;
                let placed = self.placed(&reference);
                if let Live::Told(told) = &live {
                    emitter_status.clone_from(&told.emitter_status);
                }
                if let Definition::Emitter(emitter) = &entity.definition {
                    emitter::lines(emitter, entity, &placed, live)
                } else if let Definition::Ingestor(ingestor) = &entity.definition {
                    ingestor::lines(ingestor, &placed, live)
                } else {
                    Vec::new()
                }
            }
            Definition::Domain(definition) => {
                let mut lines = self.domain(definition, catalog);
                lines.extend(self.beside(domain, key).await);
                lines
            }
            definition => {
                let mut lines = entity::lines(domain, definition, &catalog.dependents(domain, key));
                if key.kind == EntityKind::Resource {
                    let versions = self.state.resource_versions(domain, &key.name);
                    lines.extend(versions.iter().map(entity::version));
                }
                if key.kind == EntityKind::Relay {
                    lines.extend(self.beside(domain, key).await);
                }
                lines
            }
        };
        Described {
            lines,
            emitter_status,
        }
    }

    /// What only the executing node knows.
    async fn live(&self, entity: &EntityRef) -> Live {
        let Some(placement) = &self.state.placement else {
            return Live::Unplaced;
        };
        let Some(session) = self.cluster.workers().session(&placement.node) else {
            return Live::Silent(format!(
                "worker {} is not attached to this control plane",
                placement.node
            ));
        };
        let Some(generation) = self.state.generation(entity) else {
            return Live::Unplaced;
        };
        if let Some(reason) = session.failure(entity, generation) {
            return Live::Silent(format!("worker {} could not start it: {reason}", placement.node));
        }
        match session.describe(entity.clone()).await {
            Ok(Some(told)) => Live::Told(told),
            Ok(None) => Live::Silent(match session.failure_ever(entity, generation) {
                Some(reason) => format!("worker {} could not start it: {reason}", placement.node),
                None => format!("worker {} does not execute it yet", placement.node),
            }),
            Err(unanswered) => Live::Silent(unanswered.to_string()),
        }
    }

    /// What the node that executes the graph adds of what it does not execute by itself; nothing while it does not answer.
    async fn beside(&self, domain: &str, key: &EntityKey) -> Vec<Line> {
        let placement = self.state.placement.as_ref();
        let Some(session) = placement.and_then(|placement| self.cluster.workers().session(&placement.node))
        else {
            return Vec::new();
        };
        let described = session.describe(EntityRef::new(domain, key.clone())).await;
        described.ok().flatten().unwrap_or_default().lines
    }

    fn placed(&self, entity: &EntityRef) -> Placed {
        let node = self
            .state
            .placement
            .as_ref()
            .map(|placement| placement.node.clone());
        Placed {
            owner: node.zip(self.state.generation(entity)),
            running: self.state.run(&entity.domain).running,
        }
    }

    fn list(&self, domain: &str, kind: EntityKind, catalog: &Catalog) -> Answer {
        let entities = catalog.list(domain, kind);
        if kind == EntityKind::Domain {
            let rows = entities.iter().map(|entity| {
                let state = if self.state.run(&entity.key.name).running {
                    "running"
                } else {
                    "stopped"
                };
                vec![entity.key.name.to_string(), state.to_owned()]
            });
            return aligned(Table::new(&["name", "state"], rows.collect()));
        }
        let rows = entities.iter().map(|entity| vec![entity.key.name.to_string()]);
        aligned(Table::new(&["name"], rows.collect()))
    }

    async fn cluster(&self) -> Answer {
        let columns = [
            "node",
            "state",
            "flight",
            "kinds",
            "applied_revision",
            "last_seen_s",
            "cordoned",
            "executes",
        ];
        let nodes = self.cluster.nodes(&self.state).await;
        let rows = nodes.into_iter().map(|node| {
            vec![
                node.name,
                node.state.word().to_owned(),
                node.flight_address,
                node.kinds.join(" "),
                node.applied_revision.to_string(),
                format!("{:.1}", node.last_seen_s),
                node.cordoned.to_string(),
                node.executes.to_string(),
            ]
        });
        aligned(Table::new(&columns, rows.collect()))
    }

    fn domain(&self, definition: &nspl::model::DomainDef, catalog: &Catalog) -> Vec<Line> {
        let run = self.state.run(&definition.name);
        let mut lines = vec![
            Line::new("domain", definition.name.as_str()),
            Line::new("state", if run.running { "running" } else { "stopped" }),
        ];
        match definition.pacing {
            nspl::model::Pacing::Unpaced => lines.push(Line::new("pacing", "unpaced")),
            nspl::model::Pacing::Paced { period, skew } => {
                let (period, skew) = (nspl::model::DurationText(period), nspl::model::DurationText(skew));
                lines.push(Line::new("pacing", format!("paced PERIOD {period} SKEW {skew}")));
                if run.running {
                    lines.push(Line::new("time rate", run.time_rate.to_string()));
                }
            }
        }
        for kind in EntityKind::ALL
            .into_iter()
            .filter(|kind| *kind != EntityKind::Domain)
        {
            let count = catalog.list(&definition.name, kind).len();
            if count > 0 {
                lines.push(Line::new(kind.plural().to_lowercase(), count.to_string()));
            }
        }
        lines
    }
}

/// Where an executed entity is placed, and whether its domain runs.
pub(crate) struct Placed {
    owner: Option<(String, u64)>,
    running: bool,
}

impl Placed {
    fn owner(&self) -> String {
        match &self.owner {
            Some((node, generation)) => format!("{node} generation {generation}"),
            None => "none".into(),
        }
    }
}

/// The value of a live line; what the node says goes before what is said without it.
fn live_value(live: &Live, key: &str) -> Option<String> {
    match live {
        Live::Told(told) => told
            .lines
            .iter()
            .find(|line| line.key == key)
            .map(|line| line.value.clone()),
        _ => None,
    }
}

/// The state line: what the node says, else what follows from the catalog.
fn state_line(placed: &Placed, live: &Live) -> Line {
    let state = match live {
        _ if !placed.running => "stopped".into(),
        Live::Told(_) => live_value(live, "state").unwrap_or_else(|| "running".into()),
        Live::Unplaced | Live::Silent(_) => "unavailable".into(),
    };
    Line::new("state", state)
}

fn show_create(domain: &str, key: &EntityKey, catalog: &Catalog) -> Answer {
    let text = catalog
        .get(domain, key)
        .map(|entity| nspl::masked(entity))
        .unwrap_or_default();
    let row = vec![key.kind.words().to_owned(), key.name.to_string(), text.clone()];
    Answer {
        text,
        table: Table::new(&["kind", "name", "statement"], vec![row]),
    }
}

fn table_of(lines: Vec<Line>) -> Answer {
    let text = lines
        .iter()
        .map(|line| format!("{}: {}", line.key, line.value))
        .collect::<Vec<_>>()
        .join("\n");
    let rows = lines.into_iter().map(|line| vec![line.key, line.value]).collect();
    Answer {
        text,
        table: Table::new(&["property", "value"], rows),
    }
}

/// The table, and its rows as text.
fn aligned(table: Table) -> Answer {
    Answer {
        text: nspl::aligned(&table.columns, &table.rows),
        table,
    }
}
