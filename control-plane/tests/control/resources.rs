//! Codecs are judged by the files of stored versions, and keep the version that they were judged by.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use futures::future::BoxFuture;
use nervix_proto::v1::ValidateRequest;
use nervix_store::{BlobId, Commit, EmbeddedStore, Revision, Snapshot, Store, StoreError, Watch};
use tokio::sync::{Semaphore, watch};

use crate::{
    harness::{Control, Outcome},
    uploads::{begin, chunk, file, upload},
};

const START: &str = "CREATE DOMAIN d; USE d; BEGIN; CREATE SCHEMA s (id STRING); CREATE RESOURCE p; COMMIT;";

const EVENT: &str = "syntax = \"proto3\";\npackage p;\nmessage Event { string id = 1; }\n";

fn codec(name: &str, version: &str, message: &str) -> String {
    format!(
        "CREATE CODEC {name} FROM PROTOBUF USING RESOURCE p {version} CONFIG {{}} MESSAGE '{message}' TO SCHEMA s \
         WITH JAQ TRANSFORMATIONS ON EMITTING '.';"
    )
}

async fn send(control: &mut Control, text: &str) -> Result<u64, tonic::Status> {
    let bodies = vec![begin("p"), file("event.proto"), chunk(text.as_bytes())];
    Ok(upload(control, bodies).await?.version)
}

async fn shown(control: &mut Control, name: &str) -> Result<String, Box<dyn Error>> {
    let answer = control.ok("d", &format!("SHOW CREATE CODEC {name};")).await?;
    Ok(answer.results[0].message.clone())
}

#[tokio::test]
async fn a_codec_is_judged_by_the_stored_files_and_keeps_its_version() -> Outcome {
    let mut control = Control::in_memory().await?;
    control.ok("", START).await?;
    let none = control.refused("d", &codec("c", "", "p.Event")).await?;
    assert!(none.contains("has no version yet"), "{none}");
    assert_eq!(send(&mut control, EVENT).await?, 1);
    let missing = control.refused("d", &codec("c", "", "p.Nothing")).await?;
    assert!(
        missing.contains("E1512") && missing.contains("p.Event"),
        "{missing}"
    );
    control.ok("d", &codec("c", "", "p.Event")).await?;
    assert!(
        shown(&mut control, "c")
            .await?
            .contains("USING RESOURCE p VERSION 1")
    );
    let faulty = EVENT.replace("string id", "strng id");
    assert_eq!(send(&mut control, &faulty).await?, 2);
    let broken = control.refused("d", &codec("later", "", "p.Event")).await?;
    assert!(broken.contains("event.proto:3"), "{broken}");
    control.ok("d", &codec("older", "VERSION 1", "p.Event")).await?;
    assert!(
        shown(&mut control, "c")
            .await?
            .contains("USING RESOURCE p VERSION 1")
    );
    let absent = control
        .refused("d", &codec("absent", "VERSION 3", "p.Event"))
        .await?;
    assert!(absent.contains("its latest is 2"), "{absent}");
    let used = control.refused("d", "DROP RESOURCE p;").await?;
    assert!(used.contains("CODEC c"), "{used}");
    Ok(())
}

#[tokio::test]
async fn a_dry_run_judges_by_the_stored_files_and_says_what_it_cannot_see() -> Outcome {
    let mut control = Control::in_memory().await?;
    control.ok("", START).await?;
    send(&mut control, &EVENT.replace("string id", "strng id")).await?;
    let mut found = Vec::new();
    let uploaded = format!(
        "UPLOAD RESOURCE p VERSION 'protos'; {}",
        codec("c", "", "p.Event")
    );
    for script in [codec("c", "", "p.Event"), uploaded] {
        let request = ValidateRequest {
            script,
            domain: "d".into(),
            file: "t.nspl".into(),
        };
        let answer = control.client.validate(request).await?.into_inner();
        found.extend(answer.diagnostics.into_iter().map(|found| found.code));
    }
    assert_eq!(found, ["E1511", "W1002"]);
    assert!(
        control
            .handle
            .catalog()
            .list("d", nspl::model::EntityKind::Codec)
            .is_empty()
    );
    Ok(())
}

#[tokio::test]
async fn a_resource_that_is_too_large_to_be_judged_by_is_refused_with_its_size() -> Outcome {
    let mut control = Control::in_memory().await?;
    control.ok("", START).await?;
    let mut bodies = vec![
        begin("p"),
        file("event.proto"),
        chunk(EVENT.as_bytes()),
        file("model"),
    ];
    bodies.extend((0..64).map(|_| chunk(&vec![0; 1024 * 1024])));
    upload(&mut control, bodies).await?;
    let refused = control.refused("d", &codec("c", "", "p.Event")).await?;
    assert!(
        refused.contains("E3007") && refused.contains("67108864"),
        "{refused}"
    );
    control
        .ok(
            "d",
            "CREATE CLIENT b TYPE RABBITMQ MOUNT p VERSION LATEST CONFIG {'addr' = 'amqps://h'};",
        )
        .await?;
    let shown = control.ok("d", "SHOW CREATE CLIENT b;").await?;
    let text = &shown.results[0].message;
    assert!(
        text.contains("MOUNT p VERSION 1"),
        "a mount reads no files: {text}"
    );
    Ok(())
}

/// A shared store whose reads of chunks wait for a permit.
struct Slow {
    inner: EmbeddedStore,
    permits: Semaphore,
    waiting: watch::Sender<usize>,
    reads: AtomicUsize,
}

impl Store for Slow {
    fn head(&self) -> BoxFuture<'_, Result<Revision, StoreError>> {
        self.inner.head()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Revision, StoreError>> {
        self.inner.commit(commit)
    }

    fn read(&self, at: Option<Revision>) -> BoxFuture<'_, Result<Snapshot, StoreError>> {
        self.inner.read(at)
    }

    fn watch(&self, after: Revision) -> BoxFuture<'_, Result<Watch, StoreError>> {
        self.inner.watch(after)
    }

    fn put_chunk(&self, blob: BlobId, index: u32, chunk: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_chunk(blob, index, chunk)
    }

    fn chunk(&self, blob: BlobId, index: u32) -> BoxFuture<'_, Result<Bytes, StoreError>> {
        Box::pin(async move {
            self.waiting.send_modify(|waiting| *waiting += 1);
            if let Ok(permit) = self.permits.acquire().await {
                permit.forget();
            }
            self.reads.fetch_add(1, Ordering::Relaxed);
            self.inner.chunk(blob, index).await
        })
    }

    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>, StoreError>> {
        self.inner.blobs()
    }

    fn remove_blob(&self, blob: BlobId) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.remove_blob(blob)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn place(&self) -> String {
        self.inner.place()
    }
}

#[tokio::test]
async fn a_version_that_comes_while_a_codec_is_judged_is_judged_again() -> Outcome {
    let store = Arc::new(Slow {
        inner: EmbeddedStore::in_memory()?,
        permits: Semaphore::new(0),
        waiting: watch::Sender::new(0),
        reads: AtomicUsize::new(0),
    });
    let mut one = Control::on(Arc::clone(&store) as Arc<dyn Store>).await?;
    let mut other = Control::on(Arc::clone(&store) as Arc<dyn Store>).await?;
    one.ok("", START).await?;
    send(&mut one, EVENT).await?;
    let mut waiting = store.waiting.subscribe();
    let script = codec("c", "", "p.Event");
    let applied = one.run("d", &script);
    let between = async {
        // Read before the right to change anything is waited for, and kept for the judgement that counts.
        waiting.wait_for(|waiting| *waiting >= 1).await?;
        let second = send(&mut other, &EVENT.replace("Event", "Renamed")).await?;
        assert_eq!(second, 2);
        store.permits.add_permits(100);
        Ok::<(), Box<dyn Error>>(())
    };
    let (applied, sent) = tokio::join!(applied, between);
    sent?;
    let applied = applied?;
    let codes: Vec<_> = applied
        .diagnostics
        .iter()
        .map(|found| found.code.as_str())
        .collect();
    assert_eq!(codes, ["E1512"], "judged by the version that is the latest now");
    Ok(())
}
