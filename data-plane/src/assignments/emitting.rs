//! One assigned emitter: its exchange with consumers, and the task that executes it while its domain runs.
//!
//! Invariant: consumers' streams, counters and kept results stay over incarnations, generations and STOP while the
//! output schema does. The seats in the source relays are taken before any way in opens, and outlive the task, so that
//! nothing that is published while it restarts passes it by.

use std::{sync::Arc, time::Duration};

use nervix_clock::DomainClock;
use nervix_emitter::{Emitter, EmitterCounters, EmitterHandle, EmitterParts};
use nervix_relay::Relay;
use nervix_sink::RevokeReason;
use nervix_sink_client::{EndReason, Exchange, ExchangeOptions, SessionOptions};
use nspl_model::{Confirmation, EmitterDef, MessagePolicy};
use parking_lot::Mutex;

use super::{Surroundings, spec::EntityName};
use crate::{
    directory::{HandleSlot, Outlet},
    relays::DomainRelays,
    supervisor::Task,
};

/// An emitter of this worker.
pub(crate) struct EmitterSlot {
    pub(crate) entity: EntityName,
    pub(crate) generation: u64,
    pub(crate) def: Arc<EmitterDef>,
    pub(crate) outlet: Outlet,
    run: Option<Run>,
}

struct Run {
    task: Task,
    recipe: Arc<Recipe>,
}

/// How each incarnation of one run is made.
struct Recipe {
    def: Mutex<Arc<EmitterDef>>,
    sources: Vec<Arc<Relay>>,
    error_relay: Option<Arc<Relay>>,
    exchange: Exchange,
    ack_timeout: Duration,
    clock: DomainClock,
    entity: EntityName,
    node: Surroundings,
    counters: Arc<EmitterCounters>,
}

impl EmitterSlot {
    /// A slot of an emitter that does not run yet; consumers can find it from now on.
    pub(crate) fn new(
        entity: EntityName,
        generation: u64,
        def: Arc<EmitterDef>,
        node: &Surroundings,
    ) -> Self {
        let outlet = new_outlet(&def, Arc::default(), node);
        node.directory
            .add_outlet(&entity.domain, &entity.name, outlet.clone());
        Self {
            entity,
            generation,
            def,
            outlet,
            run: None,
        }
    }

    /// Takes the seats and starts the task.
    ///
    /// # Errors
    /// Why it cannot run, in a sentence.
    pub(crate) fn start(&mut self, relays: &DomainRelays, node: &Surroundings) -> Result<(), String> {
        if self.run.is_some() {
            return Ok(());
        }
        self.check_limits(node)?;
        let error_relay = match &self.def.on_message_error {
            MessagePolicy::SendTo(route) => Some(relays.relay(&route.relay)),
            MessagePolicy::Ignore | MessagePolicy::Log => None,
        };
        let ack_timeout = match &self.def.mode.confirmation {
            Confirmation::Acked {
                timeout: Some(timeout),
                ..
            } => *timeout,
            _ => return Err("a CLIENT emitter needs MODE ACK with ACK TIMEOUT".to_owned()),
        };
        let recipe = Arc::new(Recipe {
            def: Mutex::new(Arc::clone(&self.def)),
            sources: self
                .def
                .sources
                .iter()
                .map(|source| relays.relay(&source.relay))
                .collect(),
            error_relay,
            exchange: self.outlet.exchange.clone(),
            ack_timeout,
            clock: relays.clock().clone(),
            entity: self.entity.clone(),
            node: node.clone(),
            counters: Arc::clone(&self.outlet.counters),
        });
        let (handle, first) = recipe.make().map_err(|error| error.to_string())?;
        *self.outlet.handle.lock() = Some(handle);
        let task = keep(&recipe, first, Arc::clone(&self.outlet.handle), node);
        self.run = Some(Run { task, recipe });
        Ok(())
    }

    /// The handle of the incarnation that runs.
    pub(crate) fn handle(&self) -> Option<EmitterHandle> {
        self.outlet.handle.lock().clone()
    }

    /// The relays that it reads while it runs.
    pub(crate) fn sources(&self) -> &[Arc<Relay>] {
        self.run.as_ref().map_or(&[], |run| &run.recipe.sources)
    }

    /// STOP: takes back what consumers hold; their streams stay.
    pub(crate) async fn stop(&mut self) {
        self.end(RevokeReason::Stopped).await;
    }

    /// The emitter is no longer assigned.
    pub(crate) async fn remove(mut self, node: &Surroundings) {
        node.directory
            .remove_outlet(&self.entity.domain, &self.entity.name);
        self.outlet.exchange.end(EndReason::Dropped);
        self.leave(&[]).await;
    }

    /// A new generation. A new FLUSH is installed live; anything else ends the task, which [`Self::start`] makes anew.
    pub(crate) async fn replace(&mut self, generation: u64, def: Arc<EmitterDef>, node: &Surroundings) {
        self.generation = generation;
        if differs_in_flush_only(&self.def, &def) {
            self.def = Arc::clone(&def);
            if let Some(run) = &self.run {
                *run.recipe.def.lock() = Arc::clone(&def);
            }
            if let Some(handle) = self.handle() {
                handle.set_flush(def.flush).await;
            }
            return;
        }
        let same_output = self.def.output == def.output;
        if !same_output {
            self.outlet.exchange.end(EndReason::Changed);
        }
        let kept: Vec<&str> = def
            .sources
            .iter()
            .map(|source| source.relay.name.as_str())
            .collect();
        self.leave(&kept).await;
        if !same_output {
            self.outlet = new_outlet(&def, Arc::clone(&self.outlet.counters), node);
            node.directory
                .add_outlet(&self.entity.domain, &self.entity.name, self.outlet.clone());
        }
        self.def = def;
    }

    /// Ends the streams of all consumers because the node shuts down.
    pub(crate) fn end_consumers(&self) {
        self.outlet.exchange.end(EndReason::Draining);
    }

    /// Ends the task and gives up the seats in relays that are not in `kept`.
    async fn leave(&mut self, kept: &[&str]) {
        let sources: Vec<Arc<Relay>> = self.sources().to_vec();
        self.end(RevokeReason::Changed).await;
        for relay in sources.iter().filter(|relay| !kept.contains(&relay.name())) {
            relay.detach(&self.entity.name);
        }
    }

    async fn end(&mut self, reason: RevokeReason) {
        let handle = self.outlet.handle.lock().take();
        if let Some(handle) = handle {
            handle.stop(reason).await;
        }
        if let Some(run) = self.run.take() {
            run.task.end().await;
        }
    }

    fn check_limits(&self, node: &Surroundings) -> Result<(), String> {
        let most = node.limit.batch_bytes_max();
        match self.def.batch {
            Some(batch) if batch.max_bytes > most => Err(format!(
                "BATCH MAX SIZE of {} bytes does not fit one Flight message of this worker, which leaves {most} bytes; \
                 lower MAX SIZE, or start the worker with a larger --flight-max-message",
                batch.max_bytes
            )),
            _ => Ok(()),
        }
    }
}

impl Recipe {
    fn make(&self) -> Result<(EmitterHandle, Emitter), nervix_emitter::StartError> {
        let def = self.def.lock().clone();
        let seats = self
            .sources
            .iter()
            .map(|relay| relay.attach(&self.entity.name, def.attachment));
        Emitter::new(EmitterParts {
            consumers: seats.collect(),
            sink: self.exchange.open(SessionOptions {
                ack_timeout: self.ack_timeout,
            }),
            error_relay: self.error_relay.clone(),
            clock: self.clock.clone(),
            budget: self.node.budget.clone(),
            counters: Arc::clone(&self.counters),
            events: self.node.events.of_emitter(self.entity.clone()),
            def,
        })
    }
}

fn keep(recipe: &Arc<Recipe>, first: Emitter, slot: HandleSlot, node: &Surroundings) -> Task {
    let (events, entity) = (node.events.clone(), recipe.entity.clone());
    let recipe = Arc::clone(recipe);
    let mut first = Some(first);
    let start = move || {
        let made = match first.take() {
            Some(emitter) => Ok(emitter),
            None => recipe.make().map(|(handle, emitter)| {
                *slot.lock() = Some(handle);
                emitter
            }),
        };
        let entity = recipe.entity.clone();
        async move {
            match made {
                Ok(emitter) => {
                    let end = emitter.run().await;
                    tracing::debug!(%entity, ?end, "the emitter has ended");
                }
                Err(error) => tracing::error!(%entity, %error, "an emitter could not be made again"),
            }
        }
    };
    node.supervisor.keep(start, move |wait| {
        tracing::error!(%entity, ?wait, "the emitter panicked and starts again");
        events.report(&entity, "panicked", format!("starts again after {wait:?}"));
    })
}

fn new_outlet(def: &EmitterDef, counters: Arc<EmitterCounters>, node: &Surroundings) -> Outlet {
    Outlet {
        arrow: nervix_columns::arrow_schema(&def.output),
        exchange: Exchange::new(ExchangeOptions {
            clock: node.clock.clone(),
            consumer_bytes: node.consumer_bytes,
        }),
        counters,
        handle: Arc::default(),
    }
}

fn differs_in_flush_only(old: &EmitterDef, new: &EmitterDef) -> bool {
    let mut as_old = new.clone();
    as_old.flush = old.flush;
    as_old == *old
}
