//! One commit of a script: drain what it touches, store it, and see that the workers have it.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use nervix_store::StoreError;
use nspl::{
    Transaction,
    model::{Build, Definition, EntityKind},
};

use super::{
    Changes, StepResult,
    answer::{Refusal, code},
    script::{StepError, outcomes, unstored},
};
use crate::{
    catalog::{Changing, Edit, EntityRef, LoadError, RunState, State},
    events::Event,
    graph,
    rollout::Session,
};

/// How long an answer waits for the worker to run what was committed; the commit holds whether it does or not.
const APPLIED_BOUND: Duration = Duration::from_secs(5);

/// Entities that a sentence names before it counts the rest.
const NAMED_MAX: usize = 3;

/// Entities that are drained, to be let go whatever happens.
pub(super) struct Drained {
    session: Arc<Session>,
    id: u64,
}

impl Drained {
    /// Entities that were not replaced or removed meanwhile go on as they were.
    pub(super) async fn let_go(self) {
        self.session.resume(self.id).await;
    }
}

impl Changes {
    pub(super) async fn commit(
        &self,
        transaction: &Transaction,
        changing: &Changing<'_>,
    ) -> Result<Vec<StepResult>, StepError> {
        let base = changing.state();
        refuse_running_domain(transaction, &base)?;
        let edit =
            Edit::of(transaction, &base).map_err(|error| Refusal::new(code::STORE, error.to_string()))?;
        let touched = graph::drained_by(transaction, &base);
        let drained = self.drain(touched).await?;
        let committed = self.store(changing, &base, edit).await;
        if let Some(drained) = drained {
            drained.let_go().await;
        }
        let state = committed?;
        self.committed(transaction, &state);
        let problems = self.applied(transaction, &state).await;
        let results = outcomes(transaction)
            .zip(&transaction.outcomes)
            .map(|(mut result, outcome)| {
                if let Some(problem) = problems.iter().find(|(entity, _)| entity.key == outcome.key) {
                    result.message = format!("{}; {}", result.message, problem.1);
                }
                result
            });
        Ok(results.collect())
    }

    /// Stores an edit made for `base`.
    pub(super) async fn store(
        &self,
        changing: &Changing<'_>,
        base: &State,
        edit: Edit,
    ) -> Result<Arc<State>, StepError> {
        match changing.commit(base, edit).await {
            Ok(state) => {
                self.metrics.committed();
                Ok(state)
            }
            Err(LoadError::Store(StoreError::Conflict { .. })) => Err(StepError::Conflict),
            Err(error) => Err(unstored(&error).into()),
        }
    }

    /// Drains entities on the node that executes them; without such a node there is nothing to drain.
    pub(super) async fn drain(&self, entities: Vec<EntityRef>) -> Result<Option<Drained>, StepError> {
        if entities.is_empty() {
            return Ok(None);
        }
        let Some(session) = self.executing().await? else {
            return Ok(None);
        };
        let names = named(&entities);
        let begun = self.clock.now();
        let id = session.next_drain();
        let stopped = self.stopped(&entities);
        let outcome = tokio::select! {
            outcome = session.drain(id, entities, self.drain_bound) => outcome,
            // What is stopped has nothing to drain any more: the script is judged again over that.
            () = stopped => {
                session.resume(id).await;
                return Err(StepError::Conflict);
            }
        };
        let reason = match outcome {
            Ok(Ok(())) => return Ok(Some(Drained { session, id })),
            Ok(Err(reason)) => reason,
            Err(unanswered) => unanswered.to_string(),
        };
        session.resume(id).await;
        let within = if self.clock.now().since(begun) >= self.drain_bound {
            format!(" within {} s", self.drain_bound.as_secs_f64())
        } else {
            String::new()
        };
        let message = format!("{names} did not drain{within}, so nothing changed: {reason}");
        Err(Refusal::new(code::DRAIN, message)
            .help(
                "let the applications finish what they have, or STOP the domain, which answers it UNRESOLVED to its \
                 writers, and try again",
            )
            .into())
    }

    /// Resolves when the run of a domain of these entities is over.
    fn stopped(&self, entities: &[EntityRef]) -> impl Future<Output = ()> + use<> {
        let mut states = self.catalog.subscribe();
        let state = self.catalog.state();
        let domains: BTreeSet<_> = entities.iter().map(|entity| Arc::clone(&entity.domain)).collect();
        let runs = domains.into_iter().map(|domain| (state.run(&domain), domain));
        let running: Vec<_> = runs.filter(|(run, _)| run.running).collect();
        async move {
            // A START that follows at once begins another run.
            let is_over = |state: &Arc<State>, run: &RunState, domain: &str| {
                let now = state.run(domain);
                !now.running || now.generation != run.generation
            };
            let is_stopped =
                |state: &Arc<State>| running.iter().any(|(run, domain)| is_over(state, run, domain));
            if states.wait_for(is_stopped).await.is_err() {
                std::future::pending().await
            }
        }
    }

    /// The session of the node that executes the graph; `None` when no node does or it is gone.
    async fn executing(&self) -> Result<Option<Arc<Session>>, Refusal> {
        let state = self.catalog.state();
        let Some(placement) = &state.placement else {
            return Ok(None);
        };
        let node = &placement.node;
        let mut attached = self.workers.subscribe();
        loop {
            if let Some(session) = self.workers.session(node) {
                return Ok(Some(session));
            }
            tokio::select! {
                () = self.workers.until_gone(node) => break,
                changed = attached.changed() => if changed.is_err() { return Ok(None) },
            }
        }
        match self.elsewhere(&state, node) {
            Some(address) => {
                let message = if address == self.workers.identity().address {
                    format!(
                        "{node}, which runs this, was attached to a control plane at {address} that is not this one, \
                         though it is reached there, too: it has been started again since, or two were given one address"
                    )
                } else {
                    format!("{node}, which runs this, is attached to the control plane at {address}")
                };
                let help = format!(
                    "send the script to that control plane, or start it again; where both are gone for good, \
                     DROP NODE {node} moves what it executed to another node"
                );
                Err(Refusal::new(code::DRAIN, message).help(help))
            }
            None => Ok(None),
        }
    }

    /// The control plane that the executing node attached to last, when that is another one.
    pub(crate) fn owner_elsewhere(&self) -> Option<String> {
        let state = self.catalog.state();
        self.elsewhere(&state, &state.placement.as_ref()?.node)
    }

    /// The control plane that a node attached to last, when that is another one.
    pub(super) fn elsewhere(&self, state: &State, node: &str) -> Option<String> {
        let record = state.nodes.get(node)?;
        let away = self.workers.session(node).is_none() && !self.workers.is_ours(record);
        away.then(|| record.control_plane.address.clone())
    }

    fn committed(&self, transaction: &Transaction, state: &State) {
        let changed = transaction.changes.len();
        self.events.tell(Event {
            at_ns: self.clock.utc().0,
            domain: transaction.domain.clone(),
            kind: "committed".into(),
            message: format!(
                "revision {}: {changed} changes, {}",
                state.revision(),
                transaction.class
            ),
            ..Event::default()
        });
    }

    /// Waits until the executing worker has what was committed; answers what it could not start.
    async fn applied(&self, transaction: &Transaction, state: &State) -> Vec<(EntityRef, String)> {
        let changed = transaction.changes.iter();
        let executed: Vec<_> = changed
            .filter_map(|change| {
                let entity = EntityRef::new(transaction.domain.as_str(), change.key.clone());
                let after = change.after.as_ref().filter(|_| entity.is_executed())?;
                Some((entity, &after.definition))
            })
            .collect();
        let Some(session) = self.workers.owner() else {
            let (elsewhere, away) = (self.owner_elsewhere(), self.workers.runner(state));
            let problem = |definition| match (&elsewhere, away) {
                (Some(address), _) => format!("its worker is attached to the control plane at {address}"),
                (None, Some((node, _))) => format!("worker {node} is away: it runs when that one is back"),
                (None, None) => format!(
                    "no worker executes the graph: it runs as soon as one {} does",
                    built(definition)
                ),
            };
            return executed
                .into_iter()
                .map(|(entity, definition)| (entity, problem(definition)))
                .collect();
        };
        let executed = executed.into_iter().map(|(entity, _)| entity);
        if !session.wait_applied(state.revision().0, APPLIED_BOUND).await {
            let problem = format!("worker {} has not taken it over yet", session.node());
            return executed.map(|entity| (entity, problem.clone())).collect();
        }
        let failed = executed.filter_map(|entity| {
            let reason = session.failure_ever(&entity, state.generation(&entity)?)?;
            Some((
                entity,
                format!("worker {} could not start it: {reason}", session.node()),
            ))
        });
        failed.collect()
    }

    /// Waits until the executing worker has a state in which no single entity changed.
    pub(super) async fn rolled_out(&self, state: &State) {
        if let Some(session) = self.workers.owner() {
            let applied = session.wait_applied(state.revision().0, APPLIED_BOUND).await;
            tracing::debug!(applied, node = session.node(), "waited for the worker");
        }
    }
}

/// What a worker has to be built with to run an entity; nothing where every one can.
fn built(definition: &Definition) -> String {
    let build = match definition {
        Definition::Emitter(emitter) => emitter.sink.kind().capabilities().build,
        Definition::Ingestor(ingestor) => ingestor.source.build().build,
        _ => Build::Every,
    };
    match build {
        Build::Feature(feature) => format!("with the feature {feature}"),
        Build::Every | Build::None => "of this release".into(),
    }
}

fn refuse_running_domain(transaction: &Transaction, state: &State) -> Result<(), Refusal> {
    let mut dropped = transaction.changes.iter().filter(|change| change.after.is_none());
    let running =
        dropped.find(|change| change.key.kind == EntityKind::Domain && state.run(&change.key.name).running);
    match running {
        Some(change) => Err(Refusal::new(code::RUNNING, format!("{} is running", change.key))
            .help(format!("USE {}; STOP; and drop it then", change.key.name))),
        None => Ok(()),
    }
}

fn named(entities: &[EntityRef]) -> String {
    let mut names: Vec<_> = entities
        .iter()
        .take(NAMED_MAX)
        .map(|entity| entity.key.to_string())
        .collect();
    if entities.len() > NAMED_MAX {
        names.push(format!("{} more", entities.len() - NAMED_MAX));
    }
    names.join(", ")
}
