//! The states of one worker, and the thread that commits them.
//!
//! Invariant: writes of one relay reach the file in the order in which they were put; one commit is under way at a time,
//! and everything that comes in meanwhile goes into the next one. Locks are taken in the order of [`Shared`]'s fields;
//! receipts are settled without any.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nervix_database::DatabaseFile;
use nervix_relay::{Journal, Receipt, Restored, StateWrite};
use nspl_model::RelayDef;
use parking_lot::{Condvar, Mutex};

use crate::error::StateError;
use crate::form;
use crate::pending::{Dirty, Pending};
use crate::tables::{self, Kept, RelayName};

/// After a commit that failed, how long before the next is tried, whether rows come in or not.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// An incarnation of a domain: one that is dropped and created again is another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainId(Arc<str>);

impl DomainId {
    /// Of an opaque text that no other incarnation has.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }
}

/// What the store has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateStatus {
    /// Commits that are durable.
    pub commits: u64,
    /// States that they wrote or forgot.
    pub rows: u64,
    /// Batches that wait for a commit.
    pub unwritten: u64,
    /// Why states are not durable, from the first failure to the next commit that succeeds.
    pub failure: Option<StateError>,
}

/// The states of one worker. Cheap to clone. When the last clone is dropped its thread commits what is left and ends, in its
/// own time; [`StateStore::close`] waits for that.
#[derive(Clone)]
pub struct StateStore {
    shared: Arc<Shared>,
    writer: Arc<Writer>,
}

struct Shared {
    file: DatabaseFile,
    /// Held by whoever writes the file.
    committing: Mutex<()>,
    known: Mutex<BTreeMap<RelayName, Kept>>,
    pending: Mutex<Pending>,
    changed: Condvar,
    /// Told when nothing is taken any more.
    stopping: Condvar,
    commits: AtomicU64,
    rows: AtomicU64,
}

/// The thread that commits; it ends with what is left committed.
struct Writer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What one commit has come to.
#[must_use = "whoever waits for it is to be told, without a lock"]
struct Written {
    receipts: Vec<Receipt>,
    result: Result<(), StateError>,
}

/// The journal of one relay.
struct RelayJournal {
    shared: Arc<Shared>,
    number: u64,
}

impl StateStore {
    /// Opens the states in `path`, and creates the file and its folders when they are not there.
    ///
    /// # Errors
    /// [`StateError`]: another process has it, another release wrote it, it is damaged, or it cannot be read or written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StateError> {
        Self::on(DatabaseFile::open(path.as_ref())?)
    }

    /// States that are gone with the process.
    ///
    /// # Errors
    /// [`StateError::Unavailable`] when there is not enough memory.
    pub fn in_memory() -> Result<Self, StateError> {
        Self::on(DatabaseFile::in_memory()?)
    }

    fn on(file: DatabaseFile) -> Result<Self, StateError> {
        let known = file.write(|database| tables::prepare(database, file.place()))?;
        let shared = Arc::new(Shared {
            file,
            committing: Mutex::default(),
            known: Mutex::new(known),
            pending: Mutex::default(),
            changed: Condvar::new(),
            stopping: Condvar::new(),
            commits: AtomicU64::new(0),
            rows: AtomicU64::new(0),
        });
        let own = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("nervix-state".into())
            .spawn(move || own.keep_committing())
            .map_err(|error| StateError::Unavailable {
                place: shared.file.place().to_owned(),
                message: error.to_string(),
            })?;
        let writer = Writer {
            shared: Arc::clone(&shared),
            thread: Mutex::new(Some(thread)),
        };
        Ok(Self {
            shared,
            writer: Arc::new(writer),
        })
    }

    /// The states of a relay that were durable, and the journal for those that follow. What was kept of another form of a
    /// relay of that name is forgotten. Reads the disk.
    ///
    /// # Errors
    /// [`StateError`] when the file cannot be read or written.
    pub fn relay(
        &self,
        domain: &DomainId,
        def: &RelayDef,
    ) -> Result<(Arc<dyn Journal>, Vec<Restored>), StateError> {
        let (written, opened) = {
            let _alone = self.shared.committing.lock();
            // What an earlier relay of that name has put counts too.
            let written = self.shared.write_pending();
            let opened = written.result.clone();
            (written, opened.and_then(|()| self.shared.open(domain, def)))
        };
        written.settle()?;
        let (number, states) = opened.inspect_err(|_| self.shared.ask())?;
        let journal = RelayJournal {
            shared: Arc::clone(&self.shared),
            number,
        };
        Ok((Arc::new(journal), states))
    }

    /// Forgets the states of relays that `keep` does not say true of.
    ///
    /// # Errors
    /// [`StateError`] when the file cannot be written; they are forgotten the next time.
    pub fn retain(&self, keep: impl Fn(&DomainId, &str) -> bool) -> Result<(), StateError> {
        let _alone = self.shared.committing.lock();
        let mut known = self.shared.known.lock();
        let is_gone = |name: &RelayName| !keep(&DomainId(Arc::clone(&name.0)), &name.1);
        let gone: Vec<(RelayName, Kept)> = known
            .iter()
            .filter(|(name, _)| is_gone(name))
            .map(|(name, kept)| (name.clone(), kept.clone()))
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        let file = &self.shared.file;
        file.write(|database| tables::remove(database, file.place(), &gone))
            .inspect_err(|_| self.shared.ask())?;
        gone.iter().for_each(|(name, _)| {
            known.remove(name);
        });
        Ok(())
    }

    /// Commits what has come in until now; it is durable when this returns. Blocks on the disk.
    ///
    /// # Errors
    /// [`StateError`] when it could not be written; who waits is told so.
    pub fn commit(&self) -> Result<(), StateError> {
        self.shared.commit()
    }

    /// Takes nothing any more, also from other clones, commits what is left and ends the thread. The file is free when the
    /// last clone and journal is gone. Blocks on the disk.
    pub fn close(&self) {
        self.writer.stop();
        let thread = self.writer.thread.lock().take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that commits states panicked");
        }
    }

    /// What it has done.
    pub fn status(&self) -> StateStatus {
        StateStatus {
            commits: self.shared.commits.load(Ordering::Relaxed),
            rows: self.shared.rows.load(Ordering::Relaxed),
            unwritten: self.shared.pending.lock().receipts.len() as u64,
            failure: self.shared.failure(),
        }
    }
}

impl Shared {
    fn keep_committing(&self) {
        loop {
            {
                let mut pending = self.pending.lock();
                while !pending.asked && !pending.stopped {
                    self.changed.wait(&mut pending);
                }
                if !pending.asked {
                    return;
                }
            }
            if let Err(error) = self.commit() {
                tracing::debug!(%error, "states are not durable; their writers are told UNRESOLVED");
                let mut pending = self.pending.lock();
                if pending.stopped {
                    return;
                }
                // What was put back is owed, although nobody asks for it: readiness waits for it.
                pending.asked = true;
                self.stopping.wait_for(&mut pending, AGAIN_AFTER);
            }
        }
    }

    fn commit(&self) -> Result<(), StateError> {
        let written = {
            let _alone = self.committing.lock();
            self.write_pending()
        };
        written.settle()
    }

    /// Why states are not durable now.
    fn failure(&self) -> Option<StateError> {
        let message = self.file.failure()?;
        Some(StateError::Unavailable {
            place: self.file.place().to_owned(),
            message,
        })
    }

    /// Has the thread commit, also when nothing has come in.
    fn ask(&self) {
        self.pending.lock().asked = true;
        self.changed.notify_one();
    }

    /// Gives the number of a relay and its states in the file. Only while `committing` is held.
    fn open(&self, domain: &DomainId, def: &RelayDef) -> Result<(u64, Vec<Restored>), StateError> {
        let file = &self.file;
        let name = (Arc::clone(&domain.0), Arc::from(def.name.as_str()));
        let form = form::text(def);
        let mut known = self.known.lock();
        match known.get(&name).cloned() {
            Some(kept) if kept.form == form => {
                let schema = nervix_columns::arrow_schema(&def.schema);
                let states =
                    file.read(|database| tables::read(database, file.place(), kept.number, &schema))?;
                Ok((kept.number, states))
            }
            old => {
                let kept =
                    file.write(|database| tables::add(database, file.place(), (&name, form), old.as_ref()))?;
                let number = kept.number;
                known.insert(name, kept);
                Ok((number, Vec::new()))
            }
        }
    }

    /// Writes what has come in. Only while `committing` is held.
    fn write_pending(&self) -> Written {
        // What a relay puts after it was forgotten, or just before, would never be removed.
        let live: BTreeSet<u64> = self.known.lock().values().map(|kept| kept.number).collect();
        let (mut dirty, receipts) = self.pending.lock().take();
        dirty.retain(|(relay, _), _| live.contains(relay));
        let result = self.write(dirty);
        if result.is_ok() {
            self.pending.lock().written();
        }
        Written { receipts, result }
    }

    fn write(&self, dirty: Dirty) -> Result<(), StateError> {
        if dirty.is_empty() {
            return match self.file.failure() {
                None => Ok(()),
                // Something else failed: this tells whether the file can be written again.
                Some(_) => self
                    .file
                    .write(|database| tables::touch(database, self.file.place())),
            };
        }
        let result = self
            .file
            .write(|database| tables::write(database, self.file.place(), &dirty));
        if let Err(error) = result {
            self.pending.lock().put_back(dirty);
            return Err(error);
        }
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(dirty.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

impl Written {
    /// Tells who waits. Never with a lock held: shares call back to their writers.
    fn settle(self) -> Result<(), StateError> {
        match &self.result {
            Ok(()) => self.receipts.into_iter().for_each(Receipt::durable),
            Err(error) => {
                let why = error.to_string();
                self.receipts.into_iter().for_each(|receipt| receipt.failed(&why));
            }
        }
        self.result
    }
}

impl Journal for RelayJournal {
    fn put(&self, write: StateWrite) -> Result<(), StateWrite> {
        let mut pending = self.shared.pending.lock();
        if pending.stopped {
            return Err(write);
        }
        pending.put(self.number, write)?;
        drop(pending);
        self.shared.changed.notify_one();
        Ok(())
    }

    fn forget(&self, key: &Arc<[u8]>) {
        let mut pending = self.shared.pending.lock();
        if !pending.stopped {
            pending.forget(self.number, key);
            drop(pending);
            self.shared.changed.notify_one();
        }
    }
}

impl Writer {
    fn stop(&self) {
        self.shared.pending.lock().stopped = true;
        self.shared.changed.notify_one();
        self.shared.stopping.notify_one();
    }
}

/// Wherever the last clone is dropped, on a thread that runs tasks too, nothing waits for the disk.
impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for StateStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateStore")
            .field("place", &self.shared.file.place())
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
