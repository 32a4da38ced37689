//! The embedded store: the suite, the file, the lock, old formats, and a process that is killed while it commits.

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use futures::{FutureExt, future::BoxFuture};
use nervix_store::{
    BlobId, Change, Commit, EmbeddedStore, Revision, Store, StoreError,
    suite::{self, Fresh},
};

type Outcome = Result<(), Box<dyn Error>>;

/// Names the store file for the process that is going to be killed.
const KILLED_STORE: &str = "NERVIX_TEST_KILLED_STORE";

/// Entries of each commit that the killed process makes.
const ENTRIES: u64 = 40;

struct Files(tempfile::TempDir);

impl Fresh for Files {
    fn fresh(&self) -> BoxFuture<'_, Result<Arc<dyn Store>, StoreError>> {
        async {
            let mut number = 0;
            let path = loop {
                let path = self.0.path().join(format!("{number}.store"));
                if !path.exists() {
                    break path;
                }
                number += 1;
            };
            Ok(Arc::new(EmbeddedStore::open(path)?) as Arc<dyn Store>)
        }
        .boxed()
    }
}

struct Memory;

impl Fresh for Memory {
    fn fresh(&self) -> BoxFuture<'_, Result<Arc<dyn Store>, StoreError>> {
        async { Ok(Arc::new(EmbeddedStore::in_memory()?) as Arc<dyn Store>) }.boxed()
    }
}

fn put(key: &str, value: &str) -> Change {
    Change::Put {
        key: key.into(),
        value: value.as_bytes().to_vec().into(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_file_passes_the_suite() -> Outcome {
    Ok(suite::run(&Files(tempfile::tempdir()?)).await?)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_passes_the_suite() -> Outcome {
    Ok(suite::run(&Memory).await?)
}

#[tokio::test]
async fn only_its_owner_reads_the_file_and_its_content_survives() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("deep/er/catalog");
    let mode = |path: &Path| fs::metadata(path).map(|metadata| metadata.permissions().mode() & 0o777);
    let store = EmbeddedStore::open(&path)?;
    store
        .commit(Commit {
            base: Revision(0),
            changes: vec![put("a", "1")],
        })
        .await?;
    assert_eq!(mode(&path)?, 0o600);
    drop(store);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
    let store = EmbeddedStore::open(&path)?;
    assert_eq!(mode(&path)?, 0o600);
    assert_eq!(store.read(None).await?.entries["a"].value, "1");
    Ok(())
}

#[test]
fn a_second_control_plane_is_refused_while_the_first_has_the_store() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("catalog");
    let first = EmbeddedStore::open(&path)?;
    let Err(refused) = EmbeddedStore::open(&path) else {
        panic!("opened twice")
    };
    assert!(matches!(refused, StoreError::Locked { .. }));
    let sentence = refused.to_string();
    assert!(
        sentence.contains(&path.display().to_string()) && sentence.contains("stop that one"),
        "{sentence}"
    );
    drop(first);
    EmbeddedStore::open(&path)?;
    Ok(())
}

#[test]
fn a_file_that_is_no_store_is_refused_and_left_as_it_is() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("notes.txt");
    let text = "not a store at all, but long enough to be looked at. ".repeat(500);
    fs::write(&path, &text)?;
    let Err(refused) = EmbeddedStore::open(&path) else {
        panic!("opened")
    };
    assert!(matches!(refused, StoreError::Foreign { .. }), "{refused:?}");
    assert_eq!(fs::read_to_string(&path)?, text);
    Ok(())
}

/// The committed file of a format.
fn of_format(format: u64) -> PathBuf {
    let name = format!("tests/formats/format-{format}.store");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Changes a byte of each place of the file where `text` stands.
fn change(path: &Path, text: &str) -> Outcome {
    let mut bytes = fs::read(path)?;
    let places: Vec<usize> = bytes
        .windows(text.len())
        .enumerate()
        .filter(|(_, window)| *window == text.as_bytes())
        .map(|(place, _)| place)
        .collect();
    assert!(!places.is_empty(), "it is in the file");
    for place in places {
        bytes[place + text.len() - 1] ^= 1;
    }
    Ok(fs::write(path, bytes)?)
}

#[tokio::test]
async fn a_file_of_which_a_byte_was_changed_is_refused_with_a_remedy() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("catalog");
    let blob = BlobId::new("b")?;
    let store = EmbeddedStore::open(&path)?;
    let commit = Commit {
        base: Revision(0),
        changes: vec![put("entity/d/EMITTER/e", "PARALLEL MAX 4")],
    };
    store.commit(commit).await?;
    store.put_chunk(blob.clone(), 0, "a key of TLS".into()).await?;
    drop(store);
    change(&path, "a key of TLS")?;
    let store = EmbeddedStore::open(&path)?;
    let refused = store.chunk(blob, 0).await.map_err(|error| error.to_string());
    assert!(refused.is_err_and(|told| told.contains("restore a copy")));
    drop(store);
    change(&path, "PARALLEL MAX 4")?;
    let Err(refused) = EmbeddedStore::open(&path) else {
        panic!("opened")
    };
    let told = refused.to_string();
    assert!(
        matches!(refused, StoreError::Corrupt { .. }) && told.contains("restore a copy"),
        "{told}"
    );
    assert!(!told.contains("PARALLEL"), "{told}");
    Ok(())
}

#[tokio::test]
async fn stores_of_all_formats_open_and_take_commits() -> Outcome {
    for format in 1..=2 {
        opens(format).await?;
    }
    Ok(())
}

async fn opens(format: u64) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("catalog");
    fs::copy(of_format(format), &path)?;
    let store = EmbeddedStore::open(&path)?;
    let snapshot = store.read(None).await?;
    assert_eq!(snapshot.revision, Revision(3));
    let entries: Vec<_> = snapshot
        .entries
        .iter()
        .map(|(key, entry)| (key.as_str(), entry.modified.0))
        .collect();
    assert_eq!(entries, [("entity/d/RELAY/r", 3), ("entity/d/SCHEMA/s", 1)]);
    assert_eq!(
        snapshot.entries["entity/d/SCHEMA/s"].value,
        "CREATE SCHEMA s (f STRING);"
    );
    assert_eq!(store.read(Some(Revision(1))).await?.entries.len(), 2);
    assert_eq!(store.chunk(BlobId::new("old-blob")?, 0).await?, "blob");
    store
        .commit(Commit {
            base: Revision(3),
            changes: vec![put("new", "1")],
        })
        .await?;
    drop(store);
    assert_eq!(
        EmbeddedStore::open(&path)?.read(None).await?.revision,
        Revision(4)
    );
    Ok(())
}

/// Made the committed file; is run by hand, and only for a new format.
#[tokio::test]
#[ignore = "writes the committed store file of the current format"]
async fn write_the_store_file_of_this_format() -> Outcome {
    let store = EmbeddedStore::open(of_format(2))?;
    let commits = [
        vec![
            put("entity/d/SCHEMA/s", "CREATE SCHEMA s (f STRING);"),
            put("entity/d/RELAY/r", "old"),
        ],
        vec![Change::Delete {
            key: "entity/d/RELAY/r".into(),
        }],
        vec![put("entity/d/RELAY/r", "CREATE RELAY r SCHEMA s UNBRANCHED;")],
    ];
    for (base, changes) in (0..).zip(commits) {
        store
            .commit(Commit {
                base: Revision(base),
                changes,
            })
            .await?;
    }
    store
        .put_chunk(BlobId::new("old-blob")?, 0, "blob".into())
        .await?;
    Ok(())
}

/// The process that `a_killed_process_leaves_whole_commits` kills: every commit sets all entries to its revision.
#[tokio::test]
#[ignore = "is started by another test"]
async fn commits_until_it_is_killed() -> Outcome {
    let Some(path) = env::var_os(KILLED_STORE) else {
        return Ok(());
    };
    let store = EmbeddedStore::open(path)?;
    let mut base = store.head().await?;
    loop {
        let revision = base.next().to_string();
        let changes = (0..ENTRIES)
            .map(|n| put(&format!("entry/{n}"), &revision))
            .collect();
        base = store.commit(Commit { base, changes }).await?;
        println!("committed {base}");
    }
}

fn start_committing(path: &Path) -> Result<Child, std::io::Error> {
    Command::new(env::current_exe()?)
        .args([
            "--ignored",
            "--exact",
            "commits_until_it_is_killed",
            "--nocapture",
        ])
        .env(KILLED_STORE, path)
        .stdout(Stdio::piped())
        .spawn()
}

#[tokio::test]
async fn a_killed_process_leaves_whole_commits() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("catalog");
    for round in 0..8_u64 {
        let mut child = start_committing(&path)?;
        let mut answered = 0;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        while answered < (round + 1) * 7 {
            let line = lines.next().ok_or("it ended by itself")??;
            if let Some((_, revision)) = line.split_once("committed ") {
                answered = revision.parse()?;
            }
        }
        child.kill()?;
        for line in lines.map_while(Result::ok) {
            if let Some((_, revision)) = line.split_once("committed ") {
                answered = revision.parse().unwrap_or(answered);
            }
        }
        child.wait()?;
        let store = EmbeddedStore::open(&path)?;
        let snapshot = store.read(None).await?;
        let head = snapshot.revision.0;
        assert!(
            head == answered || head == answered + 1,
            "head {head}, answered {answered}"
        );
        assert_eq!(snapshot.entries.len() as u64, ENTRIES);
        assert!(
            snapshot
                .entries
                .values()
                .all(|entry| entry.value == head.to_string()),
            "a commit in part"
        );
    }
    Ok(())
}
