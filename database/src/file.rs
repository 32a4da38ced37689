//! A database that works again after its disk failed.
//!
//! The driver answers nothing any more once its file could not be read or written, a full disk included. So the file is
//! closed then, and opened anew by whoever uses it next, which finds the last commit that was whole.
//!
//! Invariants: what is committed is never lost by this; a database in memory is never opened anew, and a file that went
//! is not made again, since they would be empty; the log has one line when the file fails and one when it can be written
//! again, however often it is tried; a damaged file is an error with a remedy and no panic of whoever reads it, and is
//! opened anew once; nothing is written into a file that does not have its name any more, since nobody would find it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use parking_lot::{Mutex, RwLock};
use redb::Database;

use crate::OpenError;

/// So often in succession work may panic, as the file was and when it is opened anew; then it is not tried any more.
const PANICS_MAX: u32 = 2;

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
    /// Which file has the name; nothing in memory.
    named: Option<Named>,
    /// Nothing while it cannot be opened.
    database: RwLock<Option<Database>>,
    /// It failed since it was opened: the driver answers nothing any more.
    is_stale: AtomicBool,
    /// How often the driver panicked since work succeeded.
    panics: AtomicU32,
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
        let mut opened = Self::opened(path.display().to_string(), Box::new(move || crate::open(&own)))?;
        opened.named = Some(Named::of(path));
        Ok(opened)
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
        self.run(work)
    }

    /// Runs work that writes. Blocks on the disk.
    ///
    /// # Errors
    /// What the work answers, or why the file cannot be opened again.
    pub fn write<T, E: FileError>(&self, work: impl FnOnce(&Database) -> Result<T, E>) -> Result<T, E> {
        if let Some(gone) = self.named.as_ref().and_then(|named| named.is_gone(&self.place)) {
            self.tell(&reason(&gone));
            return Err(E::from(gone));
        }
        let result = self.run(work);
        if result.is_ok() && self.failure.lock().take().is_some() {
            tracing::info!(place = self.place, "the file can be written again");
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
            named: None,
            database: RwLock::new(Some(database)),
            is_stale: AtomicBool::new(false),
            panics: AtomicU32::new(0),
            failure: Mutex::default(),
        }
    }

    fn run<T, E: FileError>(&self, work: impl FnOnce(&Database) -> Result<T, E>) -> Result<T, E> {
        let result = match self.attempt(work) {
            Ok(result) => result,
            Err(error) => {
                self.fail(&reason(&error));
                return Err(E::from(error));
            }
        };
        match &result {
            Ok(_) => self.panics.store(0, Ordering::Release),
            Err(error) => error.of_file().into_iter().for_each(|reason| self.fail(reason)),
        }
        result
    }

    fn attempt<T>(&self, work: impl FnOnce(&Database) -> T) -> Result<T, OpenError> {
        if self.panics.load(Ordering::Acquire) >= PANICS_MAX {
            return Err(damaged(&self.place));
        }
        self.freshen()?;
        match &*self.database.read() {
            Some(database) => self.counted(|| work(database)),
            None => Err(OpenError::Unavailable {
                place: self.place.clone(),
                message: self.failure().unwrap_or_else(|| "it is closed".into()),
            }),
        }
    }

    fn counted<T>(&self, work: impl FnOnce() -> T) -> Result<T, OpenError> {
        whole(&self.place, work).inspect_err(|_| {
            self.panics.fetch_add(1, Ordering::AcqRel);
        })
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
            // Closed first: the file is locked while it is open. The driver may write what it holds then.
            self.counted(|| drop(database.take()))?;
            *database = Some(self.counted(opener)??);
            self.named.iter().for_each(Named::look_again);
            self.is_stale.store(false, Ordering::Release);
        }
        Ok(())
    }

    fn fail(&self, reason: &str) {
        self.is_stale.store(true, Ordering::Release);
        self.tell(reason);
    }

    fn tell(&self, reason: &str) {
        let mut failure = self.failure.lock();
        if failure.is_none() {
            tracing::error!(
                place = self.place,
                reason,
                "the file cannot be read or written; it is tried again until it can, or is found damaged again"
            );
            *failure = Some(reason.to_owned());
        }
    }
}

/// The file that had a name when it was opened.
struct Named {
    path: PathBuf,
    /// Its device and number.
    file: Mutex<Option<(u64, u64)>>,
}

impl Named {
    fn of(path: &Path) -> Self {
        let named = Self {
            path: path.to_owned(),
            file: Mutex::default(),
        };
        named.look_again();
        named
    }

    fn look(&self) -> Option<(u64, u64)> {
        let found = fs::metadata(&self.path).ok()?;
        Some((found.dev(), found.ino()))
    }

    fn look_again(&self) {
        *self.file.lock() = self.look();
    }

    fn is_gone(&self, place: &str) -> Option<OpenError> {
        (self.look() != *self.file.lock()).then(|| OpenError::Unavailable {
            place: place.to_owned(),
            message: "it was removed or replaced while it is open; put it back, or start again with the one that is \
                      there"
                .to_owned(),
        })
    }
}

/// Runs work on the file at `place`. The driver panics on damage that it did not expect.
fn whole<T>(place: &str, work: impl FnOnce() -> T) -> Result<T, OpenError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_panic| damaged(place))
}

fn damaged(place: &str) -> OpenError {
    OpenError::Damaged {
        place: place.to_owned(),
        what: "work on it panicked, and the log says where; start again, and restore a copy of it where that does not \
               help"
            .to_owned(),
    }
}

/// Why it cannot be opened, beside its place.
fn reason(error: &OpenError) -> String {
    match error {
        OpenError::Locked { .. } => "it is open in another process".to_owned(),
        OpenError::Damaged { what, .. } => format!("it is damaged: {what}"),
        OpenError::Foreign { what, .. } => format!("it is no database: {what}"),
        OpenError::Unavailable { message, .. } => message.clone(),
    }
}

#[cfg(test)]
mod tests;
