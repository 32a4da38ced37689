//! A disk that is full for a while, or damaged.

use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::backends::FileBackend;
use redb::{Builder, Database, ReadableDatabase, StorageBackend, TableDefinition};

use super::{DatabaseFile, FileError};
use crate::OpenError;

const NUMBERS: TableDefinition<u64, u64> = TableDefinition::new("numbers");

/// A file whose writes fail while `full` says so, and panic while `breaks` does.
#[derive(Debug)]
struct Disk {
    file: FileBackend,
    faults: Arc<Faults>,
}

#[derive(Debug, Default)]
struct Faults {
    full: AtomicBool,
    breaks: AtomicBool,
}

impl Disk {
    fn room(&self) -> io::Result<()> {
        assert!(!self.faults.breaks.load(Ordering::SeqCst), "no page");
        match self.faults.full.load(Ordering::SeqCst) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.room()?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.room()?;
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0}")]
    File(String),
    #[error("refused")]
    Refused,
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        Self::File(error.to_string())
    }
}

impl From<redb::Error> for Fault {
    fn from(error: redb::Error) -> Self {
        Self::File(error.to_string())
    }
}

impl FileError for Fault {
    fn of_file(&self) -> Option<&str> {
        match self {
            Self::File(text) => Some(text),
            Self::Refused => None,
        }
    }
}

fn put(database: &Database, number: u64) -> Result<(), Fault> {
    let attempt = || -> Result<(), redb::Error> {
        let transaction = database.begin_write()?;
        transaction.open_table(NUMBERS)?.insert(number, number)?;
        Ok(transaction.commit()?)
    };
    Ok(attempt()?)
}

fn has(database: &Database, number: u64) -> Result<bool, Fault> {
    let look = || -> Result<bool, redb::Error> {
        let table = database.begin_read()?.open_table(NUMBERS)?;
        Ok(table.get(number)?.is_some())
    };
    Ok(look()?)
}

fn on_disk(path: PathBuf) -> (DatabaseFile, Arc<Faults>) {
    let faults = Arc::<Faults>::default();
    let own = Arc::clone(&faults);
    let opener = move || {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .unwrap();
        let disk = Disk {
            file: FileBackend::new(file).unwrap(),
            faults: Arc::clone(&own),
        };
        let created = Builder::new().create_with_backend(disk);
        created.map_err(|error| crate::refusal(error, "the file".into()))
    };
    let file = DatabaseFile::opened("the file".into(), Box::new(opener)).unwrap();
    (file, faults)
}

#[test]
fn damage_that_the_driver_panics_on_is_an_error_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = DatabaseFile::open(&folder.path().join("file.redb")).unwrap();
    file.write(|database| put(database, 1)).unwrap();
    let read = file.read(|_database| -> Result<bool, Fault> { panic!("range end index out of range") });
    let Err(Fault::File(text)) = read else {
        panic!("{read:?}");
    };
    assert!(
        text.contains("file.redb is damaged") && text.contains("restore"),
        "{text}"
    );
    assert!(!text.contains("range"), "{text}");
    assert!(file.failure().is_some_and(|why| why.contains("damaged")));
    assert!(
        file.read(|database| has(database, 1)).unwrap(),
        "it is opened anew"
    );
    file.write(|database| put(database, 2)).unwrap();
    assert_eq!(file.failure(), None);
}

#[test]
fn nothing_is_written_into_a_file_that_was_removed_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let (path, aside) = (folder.path().join("file.redb"), folder.path().join("aside"));
    let file = DatabaseFile::open(&path).unwrap();
    file.write(|database| put(database, 1)).unwrap();
    std::fs::rename(&path, &aside).unwrap();
    let refused = |what: &str| {
        let Err(Fault::File(text)) = file.write(|database| put(database, 2)) else {
            panic!("it is written into {what}");
        };
        assert!(
            text.contains("file.redb") && text.contains("removed or replaced"),
            "{text}"
        );
        assert!(file.failure().is_some_and(|why| why.contains("put it back")));
    };
    refused("a file that nobody finds again");
    std::fs::write(&path, "another").unwrap();
    refused("a file that is not the one that has the name");
    assert!(
        file.read(|database| has(database, 1)).unwrap(),
        "it is still open"
    );
    std::fs::rename(&aside, &path).unwrap();
    file.write(|database| put(database, 2)).unwrap();
    assert_eq!(file.failure(), None);
}

#[test]
fn what_is_damaged_again_after_it_was_opened_anew_is_tried_no_more_and_stays_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = DatabaseFile::open(&folder.path().join("file.redb")).unwrap();
    let mut tried = 0;
    for _ in 0..10 {
        let written = file.write(|_database| -> Result<(), Fault> {
            tried += 1;
            panic!("no page")
        });
        let Err(Fault::File(text)) = written else {
            panic!("{written:?}");
        };
        assert!(text.contains("file.redb is damaged"), "{text}");
    }
    assert_eq!(tried, 2, "as it was, and opened anew");
    assert!(file.failure().is_some_and(|why| why.contains("damaged")));
    assert!(file.read(|database| has(database, 1)).is_err());
}

#[test]
fn damage_that_the_driver_panics_on_while_it_closes_the_file_is_an_error_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.redb");
    let (file, faults) = on_disk(path);
    file.write(|database| put(database, 1)).unwrap();
    let read = file.read(|_database| -> Result<bool, Fault> {
        faults.breaks.store(true, Ordering::SeqCst);
        Err(Fault::File("the disk".into()))
    });
    assert!(read.is_err());
    assert!(
        file.read(|database| has(database, 1)).is_err(),
        "closing it panics"
    );
}

#[test]
fn damage_met_while_it_is_opened_is_one_too() {
    let opened = DatabaseFile::opened("the file".into(), Box::new(|| panic!("no page")));
    assert!(matches!(opened.map(|_| ()), Err(OpenError::Damaged { .. })));
}

#[test]
fn a_full_disk_is_gone_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.redb");
    let (file, faults) = on_disk(path);
    file.write(|database| put(database, 1)).unwrap();
    assert_eq!(file.failure(), None);

    faults.full.store(true, Ordering::SeqCst);
    for number in 2..5 {
        assert!(matches!(
            file.write(|database| put(database, number)),
            Err(Fault::File(_))
        ));
        assert!(file.failure().is_some());
    }

    faults.full.store(false, Ordering::SeqCst);
    assert!(file.read(|database| has(database, 1)).unwrap());
    assert!(file.failure().is_some(), "only a write says that there is room");
    file.write(|database| put(database, 5)).unwrap();
    assert_eq!(file.failure(), None);
    let found = [1, 2, 5].map(|number| file.read(|database| has(database, number)).unwrap());
    assert_eq!(found, [true, false, true]);
}

#[test]
fn what_the_work_refuses_says_nothing_of_the_file() {
    let file = DatabaseFile::in_memory().unwrap();
    file.write(|database| put(database, 1)).unwrap();
    let refused: Result<(), Fault> = file.write(|_| Err(Fault::Refused));
    assert!(matches!(refused, Err(Fault::Refused)));
    assert_eq!(file.failure(), None);
    assert!(file.read(|database| has(database, 1)).unwrap());
}
