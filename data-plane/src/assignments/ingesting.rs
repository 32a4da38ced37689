//! One assigned ingestor: its inlet, and the task that executes it while its domain runs.
//!
//! Invariant: the inlet stays over incarnations and generations while the schema of writers does; it opens only after
//! the task is made. Whoever replaces or removes an ingestor lets it empty its buffers first, within a bound; what then
//! still waits for an inlet that does not live on is unresolved.

use std::{sync::Arc, time::Duration};

use nervix_ingestor::{Ingestor, IngestorHandle, IngestorParts, IngestorTraffic, Relays};
use nervix_source_client::{CloseReason, Inlet, InletState};
use nspl_model::{Flush, IngestorDef, SourceKind};
use parking_lot::Mutex;

use super::{
    Surroundings,
    dynamic::{relays_of_ingestor, same_ingestor},
    spec::{EntityName, HANDOVER_BOUND},
};
use crate::{relays::DomainRelays, supervisor::Task};

/// An ingestor of this worker.
pub(crate) struct IngestorSlot {
    pub(crate) entity: EntityName,
    pub(crate) generation: u64,
    pub(crate) def: Arc<IngestorDef>,
    pub(crate) inlet: Arc<Inlet>,
    run: Option<Run>,
}

struct Run {
    handle: IngestorHandle,
    task: Task,
    /// What the next incarnation is made of.
    def: Arc<Mutex<Arc<IngestorDef>>>,
}

impl IngestorSlot {
    /// A slot of an ingestor that does not run yet; its way in can be found from now on.
    pub(crate) fn new(
        entity: EntityName,
        generation: u64,
        def: Arc<IngestorDef>,
        node: &Surroundings,
    ) -> Self {
        let inlet = new_inlet(&entity, &def, (Arc::default(), node));
        show(&entity, &def, &inlet, node);
        Self {
            entity,
            generation,
            def,
            inlet,
            run: None,
        }
    }

    /// Starts the task; writers still wait.
    ///
    /// # Errors
    /// Why it cannot run, in a sentence.
    pub(crate) async fn start(
        &mut self,
        relays: &Arc<DomainRelays>,
        node: &Surroundings,
    ) -> Result<(), String> {
        if self.run.is_some() {
            return Ok(());
        }
        runnable(&self.def.source)?;
        let opened = relays_of_ingestor(&self.def).into_iter().cloned().collect();
        relays.open(opened).await?;
        let parts = IngestorParts {
            def: Arc::clone(&self.def),
            title: self.inlet.title().into(),
            relays: Arc::clone(relays) as Arc<dyn Relays>,
            clock: relays.clock().clone(),
            budget: node.budget.clone(),
            traffic: Arc::clone(self.inlet.traffic()),
        };
        let mut first = Some(Ingestor::compile(parts.clone()).map_err(|error| error.to_string())?);
        let (handle, requests) = IngestorHandle::new();
        let (events, entity) = (node.events.clone(), self.entity.clone());
        let def = Arc::new(Mutex::new(Arc::clone(&self.def)));
        let (live, inlet) = (Arc::clone(&def), Arc::clone(&self.inlet));
        let start = move || {
            let again = || {
                let def = live.lock().clone();
                Ingestor::compile(IngestorParts { def, ..parts.clone() })
            };
            let made = first.take().map_or_else(again, Ok);
            let (requests, inlet) = (requests.clone(), Arc::clone(&inlet));
            async move {
                match made {
                    Ok(ingestor) => ingestor.run(&mut *inlet.queue().await, requests).await,
                    Err(error) => tracing::error!(%error, "an ingestor could not be compiled again"),
                }
            }
        };
        let task = node.supervisor.keep(start, move |wait| {
            tracing::error!(%entity, ?wait, "the ingestor panicked and starts again");
            events.report(&entity, "panicked", format!("starts again after {wait:?}"));
        });
        self.run = Some(Run { handle, task, def });
        Ok(())
    }

    /// Lets writers in, when the task is there.
    pub(crate) fn open(&self) {
        if self.run.is_some() {
            self.inlet.set(InletState::Open(self.def.mode));
        }
    }

    /// Makes writers wait.
    pub(crate) fn gate(&self) {
        if self.run.is_some() {
            self.inlet.set(InletState::Gated);
        }
    }

    /// Lets writers in again after [`Self::gate`], unless something else has happened since.
    pub(crate) fn release(&self) {
        if self.inlet.state() == InletState::Gated {
            self.open();
        }
    }

    /// Whether its task is there.
    pub(crate) fn runs(&self) -> bool {
        self.run.as_ref().is_some_and(|run| !run.task.has_ended())
    }

    /// The handle of the running task.
    pub(crate) fn handle(&self) -> Option<IngestorHandle> {
        self.run.as_ref().map(|run| run.handle.clone())
    }

    /// Ends the task at once; what it holds and what waits for it is unresolved. The inlet is closed before.
    pub(crate) async fn end(&mut self) {
        if let Some(run) = self.run.take() {
            run.task.end().await;
        }
        self.give_up_queued().await;
    }

    /// Leaves what waits for a closed inlet unresolved.
    async fn give_up_queued(&self) {
        let mut queue = self.inlet.queue().await;
        while let Ok(arrival) = queue.try_recv() {
            drop(arrival);
        }
    }

    /// Lets nothing in, because an emitter that its rows wait for does not run.
    pub(crate) async fn block(&mut self) {
        self.close(CloseReason::Blocked, Duration::ZERO);
        self.end().await;
    }

    /// Lets nothing in, because the ingestor could not be started: writers that waited for it are told, and find it open
    /// when it is healed.
    pub(crate) async fn fail(&mut self) {
        self.close(CloseReason::Broken, Duration::ZERO);
        self.end().await;
    }

    /// The ingestor is no longer assigned: it is dropped, or goes on at `moved`.
    pub(crate) async fn remove(mut self, moved: Option<&Arc<str>>, node: &Surroundings) {
        let reason = match moved {
            Some(location) => CloseReason::Moved {
                location: Arc::clone(location),
            },
            None => CloseReason::Dropped,
        };
        self.close(reason, node.drain_bound);
        node.directory
            .remove_inlet(&self.entity.domain, &self.entity.name);
        self.hand_over(node).await;
        self.give_up_queued().await;
    }

    /// A new generation. A new FLUSH and CAPACITY are installed live; anything else ends the task, and writers wait, or are told
    /// that the schema differs.
    pub(crate) async fn replace(
        &mut self,
        (generation, def): (u64, Arc<IngestorDef>),
        relays: Option<&DomainRelays>,
        node: &Surroundings,
    ) {
        if same_ingestor(&self.def, &def) {
            if let Some(run) = &self.run {
                *run.def.lock() = Arc::clone(&def);
                if flushes(&self.def) != flushes(&def) {
                    run.handle.set_flush(flushes(&def));
                }
            }
            if let Some(relays) = relays {
                relays.install_capacity(relays_of_ingestor(&def));
            }
            (self.def, self.generation) = (def, generation);
            return;
        }
        let same = self.def.source == def.source;
        if same {
            self.gate();
        } else if takes_writers(&def.source) {
            self.close(CloseReason::Changed, node.drain_bound);
        } else {
            self.close(CloseReason::Dropped, node.drain_bound);
        }
        self.hand_over(node).await;
        if !same {
            self.give_up_queued().await;
            self.inlet = new_inlet(&self.entity, &def, (Arc::clone(self.inlet.traffic()), node));
            show(&self.entity, &def, &self.inlet, node);
        }
        self.def = def;
        self.generation = generation;
    }

    /// Closes the way in.
    pub(crate) fn close(&self, reason: CloseReason, linger: Duration) {
        self.inlet.set(InletState::Closed { reason, linger });
    }

    async fn hand_over(&mut self, node: &Surroundings) {
        let Some(run) = self.run.take() else {
            return;
        };
        if node
            .clock
            .timeout(HANDOVER_BOUND, run.handle.drain())
            .await
            .is_err()
        {
            tracing::warn!(entity = %self.entity, "the ingestor did not empty its buffers in time");
        }
        run.task.end().await;
    }
}

/// Whether this worker executes a source; a control plane assigns it no other, an older one's catalog may.
fn runnable(source: &SourceKind) -> Result<(), String> {
    match source {
        SourceKind::Client { .. } => Ok(()),
        SourceKind::Kafka { .. } => Err(format!("this worker was built without FROM {}", source.name())),
    }
}

fn flushes(def: &IngestorDef) -> Vec<Flush> {
    def.routes.iter().map(|route| route.flush).collect()
}

/// Whether applications write to it; no other ingestor can be found by them.
fn takes_writers(source: &SourceKind) -> bool {
    matches!(source, SourceKind::Client { .. })
}

fn show(entity: &EntityName, def: &IngestorDef, inlet: &Arc<Inlet>, node: &Surroundings) {
    if takes_writers(&def.source) {
        node.directory
            .add_inlet(&entity.domain, &entity.name, Arc::clone(inlet));
    } else {
        node.directory.remove_inlet(&entity.domain, &entity.name);
    }
}

fn new_inlet(
    entity: &EntityName,
    def: &IngestorDef,
    (traffic, node): (Arc<IngestorTraffic>, &Surroundings),
) -> Arc<Inlet> {
    Arc::new(Inlet::new(
        &entity.domain,
        &entity.name,
        Arc::clone(def.source.schema()),
        traffic,
        node.budget.queue_bytes(),
    ))
}
