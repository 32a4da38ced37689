//! What is stored, and the state that is derived from it.
//!
//! [`Catalog`] holds the current [`State`] and moves it with every commit, its own and those of other control planes on
//! the same store. Invariant: a state is a function of the stored snapshot alone, so every control plane derives the same
//! one, generations included.

mod edit;
mod files;
mod key;
mod load;
mod missing;
mod node;
mod record;
mod resource;
mod run;
mod state;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::{FutureExt, StreamExt};
use nervix_clock::{PhysicalClock, PhysicalInstant};
use nervix_store::{Change, Commit, Store, StoreError, WatchEvent};
use tokio::sync::{Mutex, MutexGuard, watch};

/// Between two attempts to watch the store.
const WATCH_AGAIN: Duration = Duration::from_millis(500);

/// Between two log lines about a store that stays away.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// While the store cannot be written, how often that is tried.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// Commits of other control planes that are taken over in one step.
const COMMITS_AT_ONCE_MAX: usize = 256;

pub use load::LoadError;

pub(crate) use edit::Edit;
pub(crate) use files::read_files;
pub(crate) use key::{EntityRef, node_key, placement_key, resource_key, run_key};
pub(crate) use missing::{missing, no_domain};
pub(crate) use node::{Identity, NodeRecord, Placement};
pub(crate) use resource::{ResourceFile, ResourceVersion};
pub(crate) use run::RunState;
pub(crate) use state::State;

/// The catalog of this control plane; a clone is another handle of the same.
#[derive(Clone)]
pub(crate) struct Catalog {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    clock: PhysicalClock,
    state: watch::Sender<Arc<State>>,
    /// Held by whoever changes the catalog, from its check to its commit.
    changing: Mutex<()>,
    /// Held from a commit until its state is published, so that the watch does not derive the same state once more.
    publishing: Mutex<()>,
    live: AtomicBool,
}

/// Changes the catalog. Scripts hold the right to, one at a time in this process, so that they do not beat one another;
/// what must not wait for them commits beside them, and the store decides who was first.
///
/// What is changed is based on [`Self::state`], which moves by its own commits and by [`Self::catch_up`] alone: whoever
/// judged by it has its commit refused when another one came between.
pub(crate) struct Changing<'a> {
    catalog: &'a Catalog,
    base: parking_lot::Mutex<Arc<State>>,
    _held: Option<MutexGuard<'a, ()>>,
}

impl Catalog {
    /// Reads the store's head.
    pub(crate) async fn load(store: Arc<dyn Store>, clock: PhysicalClock) -> Result<Self, crate::StartError> {
        let state = State::of(store.read(None).await?)?;
        let shared = Shared {
            store,
            clock,
            state: watch::Sender::new(Arc::new(state)),
            changing: Mutex::new(()),
            publishing: Mutex::new(()),
            live: AtomicBool::new(true),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// The current state.
    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.shared.state.borrow())
    }

    /// Tells of every later state; states in between may be left out.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Arc<State>> {
        self.shared.state.subscribe()
    }

    /// Whether commits of other control planes arrive.
    pub(crate) fn is_live(&self) -> bool {
        self.shared.live.load(Ordering::Relaxed)
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Waits for the right to change the catalog.
    pub(crate) async fn changing(&self) -> Changing<'_> {
        let held = self.shared.changing.lock().await;
        Changing {
            catalog: self,
            base: parking_lot::Mutex::new(self.state()),
            _held: Some(held),
        }
    }

    /// Changes the catalog beside a script that may be draining: a worker's registration must not wait for it.
    pub(crate) fn beside(&self) -> Changing<'_> {
        Changing {
            catalog: self,
            base: parking_lot::Mutex::new(self.state()),
            _held: None,
        }
    }

    /// Follows the store until `stop` resolves. That it is away is logged now and then, and once that it is back.
    pub(crate) async fn follow(self, stop: impl Future<Output = ()>) {
        let mut stop = Box::pin(stop.fuse());
        let mut away = Away::default();
        loop {
            let followed = tokio::select! {
                () = &mut stop => return,
                followed = self.follow_once(&mut away) => followed,
            };
            self.shared.live.store(false, Ordering::Relaxed);
            away.ended(self.shared.clock.now(), &followed);
            tokio::select! {
                () = &mut stop => return,
                () = self.shared.clock.sleep(WATCH_AGAIN) => {}
            }
        }
    }

    /// Tries a store that could not be written until it can, so that it is known again without a change. Until `stop`
    /// resolves.
    pub(crate) async fn keep_writable(self, stop: impl Future<Output = ()>) {
        let mut stop = Box::pin(stop);
        loop {
            tokio::select! {
                () = &mut stop => return,
                () = self.shared.clock.sleep(PROBE_EVERY) => {}
            }
            let store = &self.shared.store;
            if store.failure().is_some()
                && let Err(error) = store.probe().await
            {
                tracing::debug!(%error, "the store cannot be written yet");
            }
        }
    }

    async fn follow_once(&self, away: &mut Away) -> LoadError {
        let mut watch = match self.shared.store.watch(self.state().revision()).await {
            Ok(watch) => watch,
            Err(error) => return error.into(),
        };
        self.shared.live.store(true, Ordering::Relaxed);
        away.is_back();
        loop {
            let mut events = match watch.next().await {
                Some(event) => vec![event],
                None => return self.watch_ended(),
            };
            while events.len() < COMMITS_AT_ONCE_MAX {
                match watch.next().now_or_never() {
                    Some(Some(event)) => events.push(event),
                    Some(None) => return self.watch_ended(),
                    None => break,
                }
            }
            let _publishing = self.shared.publishing.lock().await;
            if let Err(error) = self.advance(events) {
                return error;
            }
        }
    }

    fn watch_ended(&self) -> LoadError {
        let place = self.shared.store.place();
        LoadError::Store(StoreError::Unavailable {
            place,
            message: "its watch ended".into(),
        })
    }

    /// Moves the state by what the watch told; what a commit of this process has moved already is left alone.
    fn advance(&self, events: Vec<Result<WatchEvent, StoreError>>) -> Result<(), LoadError> {
        let current = self.state();
        let (mut to, mut all) = (current.revision(), Vec::new());
        for event in events {
            match event? {
                WatchEvent::Commit { revision, .. } if revision <= current.revision() => {}
                WatchEvent::Commit { revision, changes } => {
                    to = revision;
                    all.push((revision, changes));
                }
                WatchEvent::Snapshot(snapshot) => {
                    self.publish(Arc::new(State::of(snapshot)?));
                    return Ok(());
                }
            }
        }
        if to > current.revision() {
            self.publish(Arc::new(current.after(all, None)?));
        }
        Ok(())
    }

    fn publish(&self, next: Arc<State>) {
        self.shared.state.send_if_modified(|state| {
            let newer = next.revision() > state.revision();
            if newer {
                *state = next;
            }
            newer
        });
    }
}

/// What was logged of a store that is away.
#[derive(Default)]
struct Away {
    told: Option<PhysicalInstant>,
    /// Whether the last line says that it is away.
    is_told: bool,
}

impl Away {
    fn ended(&mut self, now: PhysicalInstant, reason: &LoadError) {
        if self.told.is_some_and(|told| now.since(told) < TOLD_EVERY) {
            tracing::debug!(%reason, "the store's watch ended again");
            return;
        }
        tracing::warn!(%reason, "the store's watch ended; it is opened again and again until that succeeds");
        (self.told, self.is_told) = (Some(now), true);
    }

    fn is_back(&mut self) {
        if std::mem::take(&mut self.is_told) {
            tracing::info!("the store is watched again");
        }
    }
}

impl Changing<'_> {
    /// What changes are based on.
    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.base.lock())
    }

    /// Commits changes made for `base`; `candidate` is the catalog after them where the caller has it.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when another control plane was first: [`Self::catch_up`] and check again.
    pub(crate) async fn commit(&self, base: &State, edit: Edit) -> Result<Arc<State>, LoadError> {
        let Edit { changes, candidate } = edit;
        if changes.is_empty() {
            return Ok(self.state());
        }
        let commit = Commit {
            base: base.revision(),
            changes: changes.clone(),
        };
        let _publishing = self.catalog.shared.publishing.lock().await;
        let revision = self.catalog.shared.store.commit(commit).await?;
        let next = Arc::new(base.after(vec![(revision, changes)], candidate)?);
        self.catalog.publish(Arc::clone(&next));
        *self.base.lock() = Arc::clone(&next);
        Ok(next)
    }

    /// Moves the state to the store's head.
    pub(crate) async fn catch_up(&self) -> Result<Arc<State>, LoadError> {
        let head = self.catalog.shared.store.head().await?;
        if head > self.catalog.state().revision() {
            let next = State::of(self.catalog.shared.store.read(None).await?)?;
            self.catalog.publish(Arc::new(next));
        }
        let head = self.catalog.state();
        *self.base.lock() = Arc::clone(&head);
        Ok(head)
    }
}

/// Changes without a candidate.
impl From<Vec<Change>> for Edit {
    fn from(changes: Vec<Change>) -> Self {
        Self {
            changes,
            candidate: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use nervix_clock::ManualClock;
    use nervix_store::{Change, Commit, EmbeddedStore, Revision, Snapshot, Store};
    use tokio::task::JoinSet;

    use super::{Catalog, State};
    use crate::logged::Logged;

    /// A store that is behind what is known of it answers each watch with an error, as one that is away does.
    #[tokio::test]
    async fn a_store_that_stays_away_is_told_now_and_then_and_once_when_it_is_back() {
        let (lines, _guard) = Logged::here();
        let (hands, store) = (ManualClock::new(), Arc::new(EmbeddedStore::in_memory().unwrap()));
        let own: Arc<dyn Store> = Arc::<EmbeddedStore>::clone(&store);
        let catalog = Catalog::load(own, hands.physical()).await.unwrap();
        let ahead = Snapshot {
            revision: Revision(1),
            ..Snapshot::default()
        };
        catalog.publish(Arc::new(State::of(ahead).unwrap()));
        let mut following = JoinSet::new();
        following.spawn(catalog.clone().follow(std::future::pending()));
        for _ in 0..120 {
            hands.advance(Duration::from_millis(500)).await;
        }
        assert!(!catalog.is_live());
        let told = lines.text().matches("WARN").count();
        assert!(
            (2..=7).contains(&told),
            "{told} lines in a minute:\n{}",
            lines.text()
        );

        let changes = vec![Change::Put {
            key: "format".into(),
            value: "1".into(),
        }];
        let base = Revision(0);
        store.commit(Commit { base, changes }).await.unwrap();
        hands.advance(Duration::from_millis(500)).await;
        assert!(catalog.is_live());
        assert_eq!(lines.text().matches("INFO").count(), 1, "{}", lines.text());
    }
}
