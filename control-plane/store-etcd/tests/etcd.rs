//! The store on a real etcd: the suite, several control planes, compaction, half-written commits, a killed process, lost
//! answers.
//!
//! etcd is started from the program that `NERVIX_TEST_ETCD_BIN` names; without it the tests fail, for a store that was not
//! tested is not one.

use std::{
    env,
    error::Error,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use etcd_client::{Client, CompactionOptions, GetOptions};
use futures::{FutureExt, StreamExt, future::BoxFuture};
use nervix_store::{
    Change, Commit, Revision, Store, StoreError, WatchEvent,
    suite::{self, Fresh},
};
use nervix_store_etcd::EtcdStore;
use tokio::{task::JoinSet, time::timeout};
use uuid::Uuid;

#[path = "etcd/proxy.rs"]
mod proxy;

use proxy::Proxy;

type Outcome = Result<(), Box<dyn Error>>;

/// How long a test waits for something that has to happen.
const BOUND: Duration = Duration::from_secs(30);

/// Names the store's address for the process that is going to be killed.
const KILLED_STORE: &str = "NERVIX_TEST_KILLED_ETCD_STORE";

/// Bytes of each entry that the killed process writes; with three of them a commit does not fit one request.
const KILLED_ENTRY_BYTES: usize = 700 * 1024;

/// A real etcd, and stores of their own on it.
struct Etcd(nervix_tests::etcd::Etcd);

impl Etcd {
    async fn start() -> Result<Self, Box<dyn Error>> {
        let etcd = Self(nervix_tests::etcd::Etcd::start().await);
        nervix_tests::wait::until("etcd answers", || async { etcd.client().await.ok() }).await;
        Ok(etcd)
    }

    async fn client(&self) -> Result<Client, etcd_client::Error> {
        let mut client = Client::connect([self.0.address()], None).await?;
        client.get("ready", None).await?;
        Ok(client)
    }

    /// A place on it that nobody else uses.
    fn place(&self) -> String {
        format!("{}/test-{}", self.0.store_url(), Uuid::new_v4())
    }

    async fn keys(&self, place: &str) -> Result<Vec<String>, Box<dyn Error>> {
        let prefix = place
            .rsplit('/')
            .next()
            .map(|name| format!("/{name}/"))
            .unwrap_or_default();
        let options = GetOptions::new().with_prefix().with_keys_only();
        let answer = self.client().await?.get(prefix, Some(options)).await?;
        Ok(answer
            .kvs()
            .iter()
            .map(|pair| String::from_utf8_lossy(pair.key()).into_owned())
            .collect())
    }
}

impl Fresh for Etcd {
    fn fresh(&self) -> BoxFuture<'_, Result<Arc<dyn Store>, StoreError>> {
        async { Ok(Arc::new(EtcdStore::open(&self.place()).await?) as Arc<dyn Store>) }.boxed()
    }
}

fn put(key: &str, value: impl Into<bytes::Bytes>) -> Change {
    Change::Put {
        key: key.into(),
        value: value.into(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn etcd_passes_the_suite() -> Outcome {
    Ok(suite::run(&Etcd::start().await?).await?)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_control_planes_one_commits_and_both_see_it() -> Outcome {
    let etcd = Etcd::start().await?;
    let place = etcd.place();
    let (one, other) = (EtcdStore::open(&place).await?, EtcdStore::open(&place).await?);
    let mut watch = other.watch(Revision(0)).await?;
    for base in 0..20 {
        let commit = |who: &str| Commit {
            base: Revision(base),
            changes: vec![put("winner", who.to_owned())],
        };
        let (a, b) = futures::join!(one.commit(commit("one")), other.commit(commit("other")));
        let winner = match (&a, &b) {
            (Ok(_), Err(StoreError::Conflict { .. })) => "one",
            (Err(StoreError::Conflict { .. }), Ok(_)) => "other",
            _ => panic!("revision {}: {a:?} {b:?}", base + 1),
        };
        let event = timeout(BOUND, watch.next()).await?.ok_or("the watch ended")??;
        let changes = vec![put("winner", winner)];
        assert_eq!(
            event,
            WatchEvent::Commit {
                revision: Revision(base + 1),
                changes
            }
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_watch_goes_on_after_etcd_compacted_its_history() -> Outcome {
    let etcd = Etcd::start().await?;
    let place = etcd.place();
    let store = EtcdStore::open(&place).await?;
    let mut client = etcd.client().await?;
    for base in 0..30 {
        store
            .commit(Commit {
                base: Revision(base),
                changes: vec![put("a", base.to_string())],
            })
            .await?;
    }
    let now = client
        .get("any", None)
        .await?
        .header()
        .ok_or("no header")?
        .revision();
    client
        .compact(now, Some(CompactionOptions::new().with_physical()))
        .await?;
    let mut watch = EtcdStore::open(&place).await?.watch(Revision(3)).await?;
    for revision in 4..=40 {
        if revision > 30 {
            let changes = vec![put("a", revision.to_string())];
            store
                .commit(Commit {
                    base: Revision(revision - 1),
                    changes,
                })
                .await?;
            let now = client
                .get("any", None)
                .await?
                .header()
                .ok_or("no header")?
                .revision();
            client
                .compact(now, Some(CompactionOptions::new().with_physical()))
                .await?;
        }
        let event = timeout(BOUND, watch.next()).await?.ok_or("the watch ended")??;
        assert!(
            matches!(&event, WatchEvent::Commit { revision: made, .. } if made.0 == revision),
            "{event:?}"
        );
    }
    Ok(())
}

/// The process that is killed: commits that need many requests each, without end.
#[tokio::test]
#[ignore = "is started by another test"]
async fn commits_to_etcd_until_it_is_killed() -> Outcome {
    let Some(place) = env::var_os(KILLED_STORE) else {
        return Ok(());
    };
    let store = EtcdStore::open(&place.into_string().map_err(|_| "not text")?).await?;
    let mut base = store.head().await?;
    loop {
        let block = vec![u8::try_from(base.next().0 % 251)?; KILLED_ENTRY_BYTES];
        let changes = (0..3)
            .map(|n| put(&format!("entry/{n}"), block.clone()))
            .collect();
        println!("begins {}", base.next());
        base = store.commit(Commit { base, changes }).await?;
        println!("committed {base}");
    }
}

#[tokio::test]
async fn a_killed_process_leaves_whole_commits_and_its_garbage_is_collected() -> Outcome {
    let etcd = Etcd::start().await?;
    let place = etcd.place();
    for round in 1..=5_u64 {
        let mut child = Command::new(env::current_exe()?)
            .args([
                "--ignored",
                "--exact",
                "commits_to_etcd_until_it_is_killed",
                "--nocapture",
            ])
            .env(KILLED_STORE, &place)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let mut answered = 0;
        let mut begun = 0;
        while begun < round * 4 {
            let line = lines.next().ok_or("it ended by itself")??;
            begun = number(&line, "begins ").unwrap_or(begun);
            answered = number(&line, "committed ").unwrap_or(answered);
        }
        child.kill()?;
        for line in lines.map_while(Result::ok) {
            answered = number(&line, "committed ").unwrap_or(answered);
        }
        child.wait()?;
        let store = EtcdStore::open(&place).await?;
        let snapshot = store.read(None).await?;
        let head = snapshot.revision.0;
        assert!(
            head == answered || head == answered + 1,
            "head {head}, answered {answered}"
        );
        let expected = vec![u8::try_from(head % 251)?; KILLED_ENTRY_BYTES];
        assert!(
            snapshot.entries.values().all(|entry| entry.value == expected),
            "a commit in part"
        );
    }
    let store = EtcdStore::open(&place).await?;
    let head = store.head().await?;
    store
        .commit(Commit {
            base: head,
            changes: vec![put("last", "1")],
        })
        .await?;
    EtcdStore::open(&place).await?;
    let keys = etcd.keys(&place).await?;
    let count = |part: &str| keys.iter().filter(|key| key.contains(part)).count() as u64;
    assert_eq!(count("/log/"), head.0 + 1);
    let chunks = 2_150_500_u64.div_ceil(512 * 1024);
    assert_eq!(
        count("/body/"),
        head.0 * chunks + 1,
        "half-written bodies are left: {keys:?}"
    );
    Ok(())
}

fn number(line: &str, word: &str) -> Option<u64> {
    line.split_once(word).and_then(|(_, number)| number.parse().ok())
}

#[tokio::test]
async fn a_commit_whose_answers_are_lost_keeps_its_body() -> Outcome {
    let etcd = Etcd::start().await?;
    let place = etcd.place();
    let proxy = Proxy::start(&etcd.0.address()).await?;
    let store = EtcdStore::open(&place.replace(&etcd.0.address(), &proxy.address)).await?;
    proxy.lose_answers_to("/log/");
    let changes = (0..3)
        .map(|n| put(&format!("entry/{n}"), vec![7; KILLED_ENTRY_BYTES]))
        .collect();
    let commit = Commit {
        base: Revision(0),
        changes,
    };
    let outcome = timeout(BOUND, store.commit(commit)).await?;
    assert!(matches!(outcome, Err(StoreError::Unknown { .. })), "{outcome:?}");
    let snapshot = EtcdStore::open(&place).await?.read(None).await?;
    assert_eq!((snapshot.revision, snapshot.entries.len()), (Revision(1), 3));
    Ok(())
}

#[tokio::test]
async fn a_whole_state_that_is_named_while_garbage_is_collected_stays() -> Outcome {
    let etcd = Etcd::start().await?;
    let place = etcd.place();
    let store = EtcdStore::open(&place).await?;
    for base in 0..3 {
        let changes = vec![put("a", base.to_string())];
        store
            .commit(Commit {
                base: Revision(base),
                changes,
            })
            .await?;
    }
    let folder = format!("/{}", place.rsplit('/').next().unwrap_or_default());
    let mut client = etcd.client().await?;
    let state = |revision: u64, id: &str| format!("{folder}/state/{revision:020}-{id}/{:010}", 0);
    let (late, stray) = (state(1, "late"), state(2, "stray"));
    client.put(late.clone(), "state", None).await?;
    client.put(stray.clone(), "state", None).await?;
    let proxy = Proxy::start(&etcd.0.address()).await?;
    let held = proxy.hold("-late/");
    let through = place.replace(&etcd.0.address(), &proxy.address);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { EtcdStore::open(&through).await.map(drop) });
    timeout(BOUND, held.seen).await??;
    client
        .put(format!("{folder}/whole/{:020}", 1), "late 1 5", None)
        .await?;
    held.go.send(()).map_err(|()| "the proxy is gone")?;
    timeout(BOUND, tasks.join_next()).await?.ok_or("no outcome")???;
    let keys = etcd.keys(&place).await?;
    assert!(keys.contains(&late), "the named state is gone: {keys:?}");
    assert!(!keys.contains(&stray), "the stray state is left: {keys:?}");
    Ok(())
}

#[tokio::test]
async fn an_etcd_that_is_not_there_is_named() -> Outcome {
    let place = format!("etcd://127.0.0.1:{}/x", nervix_tests::ports::free_port());
    let refused = match EtcdStore::open(&place).await {
        Ok(store) => store.head().await.map(drop),
        Err(error) => Err(error),
    };
    let Err(StoreError::Unavailable { place, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(place.contains("127.0.0.1"), "{place}");
    for malformed in [
        "http://x:1",
        "etcd://",
        "etcd://user:secret@host:1",
        "etcd://a:1,,b:2",
    ] {
        let Err(error) = EtcdStore::open(malformed).await else {
            panic!("{malformed} was taken")
        };
        assert!(error.to_string().contains("etcd://HOST:PORT") && !error.to_string().contains("secret"));
    }
    Ok(())
}
