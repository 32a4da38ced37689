//! One commit of a script: drain what it touches, store it, and see that the workers have it.

use std::{sync::Arc, time::Duration};

use nervix_store::StoreError;
use nspl::{Transaction, model::EntityKind};

use super::{
    Changes, StepResult,
    answer::{Refusal, code},
    script::{StepError, outcomes, unstored},
};
use crate::{
    catalog::{Changing, Edit, EntityRef, LoadError, State},
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
        let (id, outcome) = session.drain(entities, self.drain_bound).await;
        let reason = match outcome {
            Ok(Ok(())) => return Ok(Some(Drained { session, id })),
            Ok(Err(reason)) => reason,
            Err(unanswered) => unanswered.to_string(),
        };
        session.resume(id).await;
        let bound = self.drain_bound.as_secs_f64();
        let message = format!("{names} did not drain within {bound} s, so nothing changed: {reason}");
        Err(Refusal::new(code::DRAIN, message)
            .help("let the applications finish what they have, or STOP the domain, which discards it, and try again")
            .into())
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
        match self.elsewhere() {
            Some(address) => {
                let message =
                    format!("{node}, which runs this, is attached to the control plane at {address}");
                Err(Refusal::new(code::DRAIN, message)
                    .help("send the script to that control plane, or start it again"))
            }
            None => Ok(None),
        }
    }

    /// The control plane that the executing node is attached to, when that is another one.
    pub(crate) fn elsewhere(&self) -> Option<String> {
        if !self.catalog.store().is_shared() {
            return None;
        }
        let state = self.catalog.state();
        let node = &state.placement.as_ref()?.node;
        let record = state.nodes.get(node)?;
        let away = self.workers.session(node).is_none() && record.control_address != self.advertised;
        away.then(|| record.control_address.clone())
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
        let executed: Vec<_> = transaction
            .changes
            .iter()
            .filter(|change| change.after.is_some())
            .map(|change| EntityRef::new(transaction.domain.as_str(), change.key.clone()))
            .filter(EntityRef::is_executed)
            .collect();
        if executed.is_empty() && self.workers.owner().is_none() {
            return Vec::new();
        }
        let Some(session) = self.workers.owner() else {
            let problem = "no worker is attached: it runs as soon as one is";
            return executed
                .into_iter()
                .map(|entity| (entity, problem.to_owned()))
                .collect();
        };
        if !session.wait_applied(state.revision().0, APPLIED_BOUND).await {
            let problem = format!("worker {} has not taken it over yet", session.node());
            return executed
                .into_iter()
                .map(|entity| (entity, problem.clone()))
                .collect();
        }
        let failed = executed.into_iter().filter_map(|entity| {
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
