//! Destinations outside: which ones this worker was built with, and how an emitter's run gets its sink.
//!
//! Invariants: a destination is known here by a line of the registry and nowhere else in this room; the emitters of one
//! CLIENT share one connection to it while any of them runs; what cannot be had now is tried again by the emitter's retry
//! policy, and what never can be is refused before it runs.

mod clients;
mod jobs;
mod opener;
mod registry;

use std::sync::Arc;

use nervix_clock::PhysicalInstant;
use nervix_codec::Jobs;
use nervix_emitter::Opener;
use nervix_sink::World;
use nspl_model::{Build, EmitterDef, SinkKind};

use crate::resources::Resources;
use clients::Clients;
use jobs::CountedJobs;
pub(crate) use jobs::NoJobs;
use opener::DestinationOpener;
pub(crate) use registry::{BUILT, Destination};

/// What a node needs for its destinations; clones share everything.
#[derive(Clone)]
pub(crate) struct Destinations {
    registry: &'static [Destination],
    pub(crate) world: World,
    pub(crate) resources: Resources,
    pub(crate) jobs: Arc<dyn Jobs>,
    clients: Clients,
}

impl Destinations {
    pub(crate) fn new(
        registry: &'static [Destination],
        world: World,
        resources: Resources,
        jobs: Arc<dyn Jobs>,
    ) -> Self {
        let jobs = Arc::new(CountedJobs {
            jobs,
            budget: world.budget.clone(),
        });
        Self {
            registry,
            world,
            resources,
            jobs,
            clients: Clients::default(),
        }
    }

    /// How a run of this emitter opens its sink.
    ///
    /// # Errors
    /// Why it can never be opened here, in a sentence.
    pub(crate) fn opener(&self, def: &Arc<EmitterDef>) -> Result<Arc<dyn Opener>, String> {
        let kind = def.sink.kind();
        let destination = self.registry.iter().find(|destination| destination.kind == kind);
        let destination = destination.ok_or_else(|| not_built(kind))?;
        let opener = DestinationOpener::new(self.clone(), destination, Arc::clone(def))?;
        Ok(Arc::new(opener))
    }

    /// Closes what is shared, until `deadline` at most. No emitter runs any more.
    pub(crate) async fn drain(&self, deadline: PhysicalInstant) {
        self.clients.drain(deadline, &self.world.clock).await;
    }
}

/// The kinds that this worker was built with, besides CLIENT, in NSPL's words.
pub(crate) fn built_kinds() -> impl Iterator<Item = &'static str> {
    BUILT.iter().map(|destination| destination.kind.name())
}

fn not_built(kind: SinkKind) -> String {
    match kind.capabilities().build {
        Build::Feature(feature) => {
            format!("this worker was built without the {kind} sink; build it with the feature {feature}")
        }
        Build::Every | Build::None => format!("no worker of this release has the {kind} sink"),
    }
}

#[cfg(test)]
mod tests;
