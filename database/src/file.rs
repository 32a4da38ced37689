//! A database that works again after its disk failed.
//!
//! The driver answers nothing any more once its file could not be read or written, a full disk included. So the file is
//! closed then, and opened anew by whoever uses it next, which finds the last commit that was whole.
//!
//! Invariants: what is committed is never lost by this; a database in memory is never opened anew, and a file that went
//! is not made again, since they would be empty; the log has one line when the file fails and one when it can be written
//! again, however often it is tried; a damaged file is an error with a remedy and no panic of whoever reads it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};
use redb::Database;

use crate::OpenError;

type Opener = Box<dyn Fn() -> Result<Database, OpenError> + Send + Sync>;

/// What work on the database answers when it fails.
pub trait FileError: From<OpenError> {
    /// Why the file could not be read or written, where that is why; nothing where the work itself was refused.
    fn of_file(&self) -> Option<&str>;
}

/// A database in one file, or in memory.
pub struct DatabaseFile {
    place: String,
    /// How it is opened anew; nothing in memory.
    opener: Option<Opener>,
    /// Nothing while it cannot be opened.
    database: RwLock<Option<Database>>,
    /// It failed since it was opened: the driver answers nothing any more.
    is_stale: AtomicBool,
    /// Why it cannot be written, from the first failure to the next write that succeeds.
    failure: Mutex<Option<String>>,
}

impl DatabaseFile {
    /// Opens the database in the file `path`, which is made when it is not there, with the folders above it.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        crate::make_missing(path)?;
        let own = path.to_owned();
        Self::opened(path.display().to_string(), Box::new(move || crate::open(&own)))
    }

    /// A database that is gone with the process.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn in_memory() -> Result<Self, OpenError> {
        Ok(Self::of("memory".into(), None, crate::in_memory()?))
    }

    /// The path of the file, or that it is in memory.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Why the file cannot be written, from the first failure to the next write that succeeds.
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().clone()
    }

    /// Runs work that reads. Blocks on the disk.
    ///
    /// # Errors
    /// What the work answers, or why the file cannot be opened again.
    pub fn read<T, E: FileError>(&self, work: impl FnOnce(&Database) -> Result<T, E>) -> Result<T, E> {
        let result = self.run(work);
        if let Err(error) = &result {
            self.note(error);
        }
        result
    }

    /// Runs work that writes. Blocks on the disk.
    ///
    /// # Errors
    /// What the work answers, or why the file cannot be opened again.
    pub fn write<T, E: FileError>(&self, work: impl FnOnce(&Database) -> Result<T, E>) -> Result<T, E> {
        let result = self.run(work);
        match &result {
            Ok(_) => {
                if self.failure.lock().take().is_some() {
                    tracing::info!(place = self.place, "the file can be written again");
                }
            }
            Err(error) => self.note(error),
        }
        result
    }

    fn opened(place: String, opener: Opener) -> Result<Self, OpenError> {
        let database = whole(&place, &opener)??;
        Ok(Self::of(place, Some(opener), database))
    }

    fn of(place: String, opener: Option<Opener>, database: Database) -> Self {
        Self {
            place,
            opener,
            database: RwLock::new(Some(database)),
            is_stale: AtomicBool::new(false),
            failure: Mutex::default(),
        }
    }

    fn run<T, E: FileError>(&self, work: impl FnOnce(&Database) -> Result<T, E>) -> Result<T, E> {
        self.freshen()?;
        match &*self.database.read() {
            Some(database) => whole(&self.place, || work(database)).unwrap_or_else(|damage| {
                self.is_stale.store(true, Ordering::Release);
                Err(E::from(damage))
            }),
            None => Err(E::from(OpenError::Unavailable {
                place: self.place.clone(),
                message: self.failure().unwrap_or_else(|| "it is closed".into()),
            })),
        }
    }

    /// Opens it anew where it failed; whoever uses it now is waited for.
    fn freshen(&self) -> Result<(), OpenError> {
        let Some(opener) = self
            .opener
            .as_ref()
            .filter(|_| self.is_stale.load(Ordering::Acquire))
        else {
            return Ok(());
        };
        let mut database = self.database.write();
        if self.is_stale.load(Ordering::Acquire) {
            // Closed first: the file is locked while it is open.
            drop(database.take());
            *database = Some(whole(&self.place, opener)??);
            self.is_stale.store(false, Ordering::Release);
        }
        Ok(())
    }

    fn note(&self, error: &impl FileError) {
        let Some(reason) = error.of_file() else {
            return;
        };
        self.is_stale.store(true, Ordering::Release);
        let mut failure = self.failure.lock();
        if failure.is_none() {
            tracing::error!(
                place = self.place,
                reason,
                "the file cannot be read or written; it is tried again until it can"
            );
            *failure = Some(reason.to_owned());
        }
    }
}

/// Runs work on the file at `place`. The driver panics on damage that it did not expect.
fn whole<T>(place: &str, work: impl FnOnce() -> T) -> Result<T, OpenError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_panic| OpenError::Damaged {
        place: place.to_owned(),
        what: "reading it panicked, and the log says where; restore a copy of it, or begin anew without it"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests;
