//! One assigned emitter: its exchange with consumers where it has some, and the task that executes it while its domain runs.
//!
//! Invariant: counters and kept results stay over incarnations, generations and STOP; consumers' streams do while the
//! output schema does. The seats in the source relays are taken before any way in opens, and outlive the task, so that
//! nothing that is published while it restarts passes it by.

use std::{sync::Arc, time::Duration};

use nervix_clock::DomainClock;
use nervix_emitter::{Emitter, EmitterCounters, EmitterHandle, EmitterParts, Opener, Supply};
use nervix_ingestor::Relays;
use nervix_relay::{MaterializedState, Relay};
use nervix_sink::RevokeReason;
use nervix_sink_client::{EndReason, Exchange, ExchangeOptions, SessionOptions};
use nspl_model::{Confirmation, EmitterDef, MessagePolicy, RelayDef, SinkKind};
use parking_lot::Mutex;

use super::{
    Surroundings,
    dynamic::{relays_of_emitter, same_emitter},
    spec::EntityName,
};
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

/// Where the records of a run go.
enum Way {
    /// To the consumers of the exchange.
    Consumers {
        exchange: Exchange,
        ack_timeout: Duration,
    },
    /// To a destination outside.
    Outside(Arc<dyn Opener>),
}

/// How each incarnation of one run is made.
struct Recipe {
    def: Mutex<Arc<EmitterDef>>,
    sources: Vec<Arc<Relay>>,
    dependencies: Vec<Arc<MaterializedState>>,
    error_relay: Option<Arc<Relay>>,
    way: Way,
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
        let outlet = new_outlet(&def, node);
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
    /// Why it cannot run, in a sentence. Seats that it has taken before stay; see [`Self::give_up_seats`].
    pub(crate) async fn start(
        &mut self,
        relays: &Arc<DomainRelays>,
        node: &Surroundings,
    ) -> Result<(), String> {
        if self.run.is_some() {
            return Ok(());
        }
        self.check_limits(node)?;
        let opened = relays_of_emitter(&self.def).into_iter().cloned().collect();
        relays.open(opened).await?;
        let error_relay = match &self.def.on_message_error {
            MessagePolicy::SendTo(route) => Some(relays.relay(&route.relay)),
            MessagePolicy::Ignore | MessagePolicy::Log => None,
        };
        let dependencies = self.def.dependencies.iter();
        let dependencies = dependencies.map(|dependency| state_of(relays, &dependency.relay));
        let dependencies = dependencies.collect::<Result<Vec<_>, _>>()?;
        let way = self.way(node)?;
        let recipe = Arc::new(Recipe {
            def: Mutex::new(Arc::clone(&self.def)),
            sources: self
                .def
                .sources
                .iter()
                .map(|source| relays.relay(&source.relay))
                .collect(),
            dependencies,
            error_relay,
            way,
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

    /// Whether an incarnation runs; none does between a panic and the next one.
    pub(crate) fn runs(&self) -> bool {
        self.handle().is_some_and(|handle| !handle.has_ended())
    }

    /// The handle of the last incarnation.
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

    /// The emitter is no longer assigned: it is dropped, or goes on at `moved`.
    pub(crate) async fn remove(
        mut self,
        moved: Option<&Arc<str>>,
        relays: Option<&DomainRelays>,
        node: &Surroundings,
    ) {
        node.directory
            .remove_outlet(&self.entity.domain, &self.entity.name);
        self.end_exchange(match moved {
            Some(location) => EndReason::Moved {
                location: Arc::clone(location),
            },
            None => EndReason::Dropped,
        });
        self.leave(&[], relays).await;
    }

    /// A new generation. A new FLUSH and CAPACITY are installed live; anything else ends the task, which
    /// [`Self::start`] makes anew.
    pub(crate) async fn replace(
        &mut self,
        (generation, def): (u64, Arc<EmitterDef>),
        relays: Option<&DomainRelays>,
        node: &Surroundings,
    ) {
        self.generation = generation;
        if same_emitter(&self.def, &def) {
            let old = std::mem::replace(&mut self.def, Arc::clone(&def));
            if let Some(run) = &self.run {
                *run.recipe.def.lock() = Arc::clone(&def);
            }
            if let Some(relays) = relays {
                relays.install_capacity(relays_of_emitter(&def));
            }
            if let Some(handle) = self.handle().filter(|_| old.flush != def.flush) {
                handle.set_flush(def.flush).await;
            }
            return;
        }
        let same_output = self.def.output == def.output && has_consumers(&self.def) == has_consumers(&def);
        if !same_output {
            self.end_exchange(EndReason::Changed);
        }
        let kept: Vec<&str> = def
            .sources
            .iter()
            .map(|source| source.relay.name.as_str())
            .collect();
        self.leave(&kept, relays).await;
        if !same_output {
            self.outlet.arrow = nervix_columns::arrow_schema(&def.output);
            self.outlet.exchange = match (self.outlet.exchange.take(), has_consumers(&def)) {
                (Some(exchange), true) => Some(exchange.renewed()),
                (None, true) => Some(new_exchange(node)),
                (_, false) => None,
            };
            node.directory
                .add_outlet(&self.entity.domain, &self.entity.name, self.outlet.clone());
        }
        self.def = def;
    }

    /// Ends the streams of all consumers because the node shuts down.
    pub(crate) fn end_consumers(&self) {
        self.end_exchange(EndReason::Draining);
    }

    fn end_exchange(&self, reason: EndReason) {
        if let Some(exchange) = &self.outlet.exchange {
            exchange.end(reason);
        }
    }

    /// Where the records of the next run go.
    fn way(&self, node: &Surroundings) -> Result<Way, String> {
        let Some(exchange) = &self.outlet.exchange else {
            return node.destinations.opener(&self.def).map(Way::Outside);
        };
        match &self.def.mode.confirmation {
            Confirmation::Acked {
                timeout: Some(timeout),
                ..
            } => Ok(Way::Consumers {
                exchange: exchange.clone(),
                ack_timeout: *timeout,
            }),
            _ => Err("a CLIENT emitter needs MODE ACK with ACK TIMEOUT".to_owned()),
        }
    }

    /// Ends the task and gives up the seats in relays that are not in `kept`.
    async fn leave(&mut self, kept: &[&str], relays: Option<&DomainRelays>) {
        self.end(RevokeReason::Changed).await;
        if let Some(relays) = relays {
            self.give_up_seats(kept, relays);
        }
    }

    /// Gives up the seats in relays that are not in `kept`, whether or not it runs.
    pub(crate) fn give_up_seats(&self, kept: &[&str], relays: &DomainRelays) {
        let names = self.def.sources.iter().map(|source| source.relay.name.as_str());
        for relay in names
            .filter(|name| !kept.contains(name))
            .filter_map(|name| relays.find(name))
        {
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
        match self
            .def
            .batch
            .filter(|_| self.def.sink.kind().capabilities().bounded_by_flight)
        {
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
    fn make(&self) -> Result<(EmitterHandle, Box<Emitter>), nervix_emitter::StartError> {
        let def = self.def.lock().clone();
        let seats = self
            .sources
            .iter()
            .map(|relay| relay.attach(&self.entity.name, def.attachment));
        Emitter::new(EmitterParts {
            consumers: seats.collect(),
            sink: match &self.way {
                Way::Consumers {
                    exchange,
                    ack_timeout,
                } => Supply::Open(exchange.open(SessionOptions {
                    ack_timeout: *ack_timeout,
                })),
                Way::Outside(opener) => Supply::Opens(Arc::clone(opener)),
            },
            dependencies: self.dependencies.clone(),
            error_relay: self.error_relay.clone(),
            clock: self.clock.clone(),
            budget: self.node.budget.clone(),
            counters: Arc::clone(&self.counters),
            events: self.node.events.of_emitter(self.entity.clone()),
            def,
        })
    }
}

fn keep(recipe: &Arc<Recipe>, first: Box<Emitter>, slot: HandleSlot, node: &Surroundings) -> Task {
    let (events, entity) = (node.events.clone(), recipe.entity.clone());
    let recipe = Arc::clone(recipe);
    let mut first = Some(first);
    let start = move || {
        let made = match first.take() {
            Some(emitter) => Ok(emitter),
            None => {
                // Where none can be made, none stands for the one before, which has ended.
                let (handle, made) = match recipe.make() {
                    Ok((handle, emitter)) => (Some(handle), Ok(emitter)),
                    Err(error) => (None, Err(error)),
                };
                *slot.lock() = handle;
                made
            }
        };
        recipe.node.incarnations.notify_one();
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
    let incarnations = Arc::clone(&node.incarnations);
    node.supervisor.keep(start, move |wait| {
        tracing::error!(%entity, ?wait, "the emitter panicked and starts again");
        incarnations.notify_one();
        events.report(&entity, "panicked", format!("starts again after {wait:?}"));
    })
}

/// The state of a relay that an emitter depends on.
fn state_of(relays: &DomainRelays, def: &Arc<RelayDef>) -> Result<Arc<MaterializedState>, String> {
    let relay = relays.relay(def);
    let state = relay.materialized().map(Arc::clone);
    state.ok_or_else(|| format!("relay {} keeps no materialized state here", def.name))
}

fn new_outlet(def: &EmitterDef, node: &Surroundings) -> Outlet {
    Outlet {
        arrow: nervix_columns::arrow_schema(&def.output),
        exchange: has_consumers(def).then(|| new_exchange(node)),
        counters: Arc::default(),
        handle: Arc::default(),
    }
}

fn new_exchange(node: &Surroundings) -> Exchange {
    Exchange::new(ExchangeOptions {
        clock: node.clock.clone(),
        consumer_bytes: node.consumer_bytes,
    })
}

/// Whether applications come for its records.
fn has_consumers(def: &EmitterDef) -> bool {
    def.sink.kind() == SinkKind::Client
}
