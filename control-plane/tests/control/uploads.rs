//! Uploading versions of a resource.

use std::{sync::Arc, time::Duration};

use futures::{FutureExt, StreamExt, future::BoxFuture};
use nervix_clock::ManualClock;
use nervix_control_plane::ControlOptions;
use nervix_proto::v1::{
    UploadBegin, UploadEnd, UploadFile, UploadResourceRequest, UploadResourceResponse,
    control_client::ControlClient, upload_resource_request::Body,
};
use nervix_store::{EmbeddedStore, Store, StoreError};
use tokio::{runtime::Runtime, sync::mpsc, task::JoinSet, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status};

use crate::{
    harness::{BOUND, Control, Outcome, RESOURCE},
    store::{Gate, Guarded},
};

pub(crate) fn begin(resource: &str) -> Body {
    Body::Begin(UploadBegin {
        domain: "d".into(),
        resource: resource.into(),
    })
}

pub(crate) fn file(path: &str) -> Body {
    Body::File(UploadFile { path: path.into() })
}

pub(crate) fn chunk(bytes: &[u8]) -> Body {
    Body::Chunk(bytes.to_vec().into())
}

fn end(files: u32, size_bytes: u64) -> Body {
    Body::End(UploadEnd { files, size_bytes })
}

/// Uploads these bodies and, behind them, their totals.
pub(crate) async fn upload(
    control: &mut Control,
    mut bodies: Vec<Body>,
) -> Result<UploadResourceResponse, Status> {
    let mut totals = UploadEnd::default();
    for body in &bodies {
        match body {
            Body::File(_) => totals.files += 1,
            Body::Chunk(chunk) => totals.size_bytes += chunk.len() as u64,
            Body::Begin(_) | Body::End(_) => {}
        }
    }
    bodies.push(Body::End(totals));
    send(control, bodies).await
}

/// Sends these bodies and closes the stream.
async fn send(control: &mut Control, bodies: Vec<Body>) -> Result<UploadResourceResponse, Status> {
    let requests = bodies
        .into_iter()
        .map(|body| UploadResourceRequest { body: Some(body) });
    let stream = futures::stream::iter(requests.collect::<Vec<_>>());
    control
        .client
        .upload_resource(stream)
        .await
        .map(tonic::Response::into_inner)
}

#[tokio::test]
async fn versions_count_up_and_the_order_of_files_does_not_matter() -> Outcome {
    let mut control = Control::with_resource().await?;
    let large = vec![7; 1024 * 1024];
    let first = upload(
        &mut control,
        vec![
            begin("files"),
            file("a/b"),
            chunk(&large),
            chunk(&large),
            file("c"),
            chunk(b"x"),
        ],
    )
    .await?;
    assert_eq!((first.version, first.size_bytes), (1, 2 * 1024 * 1024 + 1));
    let second = upload(
        &mut control,
        vec![
            begin("files"),
            file("c"),
            chunk(b"x"),
            file("a/b"),
            chunk(&large),
            chunk(&large),
        ],
    )
    .await?;
    assert_eq!(second.version, 2);
    assert_eq!(first.checksum.len(), 64);
    assert_eq!(first.checksum, second.checksum);
    let other = upload(&mut control, vec![begin("files"), file("c"), chunk(b"y")]).await?;
    assert_ne!(other.checksum, first.checksum);
    Ok(())
}

#[tokio::test]
async fn what_is_no_upload_is_refused_by_name() -> Outcome {
    let mut control = Control::with_resource().await?;
    let cases = [
        (
            vec![begin("nope"), file("a")],
            Code::NotFound,
            "there is no RESOURCE nope in domain d: CREATE it first",
        ),
        (vec![file("a")], Code::InvalidArgument, "begin"),
        (vec![begin("files"), chunk(b"x")], Code::InvalidArgument, "file"),
        (
            vec![begin("files"), file("../etc/passwd")],
            Code::InvalidArgument,
            "relative",
        ),
        (
            vec![begin("files"), file("a"), file("a")],
            Code::InvalidArgument,
            "twice",
        ),
        (
            vec![begin("files"), file("a"), file("a/b")],
            Code::InvalidArgument,
            "also a folder",
        ),
        (
            vec![begin("files"), file("/a")],
            Code::InvalidArgument,
            "relative",
        ),
        (
            vec![begin("files"), file("a"), begin("files")],
            Code::InvalidArgument,
            "once",
        ),
        (vec![begin("files")], Code::InvalidArgument, "at least one file"),
        (
            vec![begin("files"), file("a"), chunk(&vec![0; 1024 * 1024 + 1])],
            Code::InvalidArgument,
            "1048577",
        ),
    ];
    for (bodies, code, part) in cases {
        let Err(refused) = upload(&mut control, bodies).await else {
            panic!("{part}: accepted")
        };
        assert_eq!(refused.code(), code, "{refused}");
        assert!(refused.message().contains(part), "{refused}");
    }
    let stored = upload(&mut control, vec![begin("files"), file("a"), chunk(b"x")]).await?;
    assert_eq!(stored.version, 1);
    Ok(())
}

#[tokio::test]
async fn an_upload_is_complete_only_with_its_totals_behind_it() -> Outcome {
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::in_memory()?);
    let mut control = Control::on(Arc::clone(&store)).await?;
    control.ok("", RESOURCE).await?;
    let large = vec![7; 1024 * 1024];
    let bodies = || vec![begin("files"), file("a"), chunk(&large), file("b"), chunk(&large)];
    let size = 2 * 1024 * 1024;
    let cut = [
        (None, "before `end`"),
        (Some(vec![end(2, size - 1)]), "2097151 bytes"),
        (Some(vec![end(3, size)]), "3 files"),
        (Some(vec![end(2, size), file("c")]), "behind `end`"),
    ];
    for (last, part) in cut {
        let all = bodies().into_iter().chain(last.into_iter().flatten());
        let Err(refused) = send(&mut control, all.collect()).await else {
            panic!("{part}: accepted")
        };
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
        assert!(refused.message().contains(part), "{refused}");
        assert_eq!(store.blobs().await?, Vec::new(), "{part}");
    }
    let stored = upload(&mut control, bodies()).await?;
    assert_eq!((stored.version, stored.size_bytes), (1, size));
    Ok(())
}

#[tokio::test]
async fn an_upload_that_breaks_off_or_is_refused_leaves_nothing() -> Outcome {
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::in_memory()?);
    let mut control = Control::on(Arc::clone(&store)).await?;
    control.ok("", RESOURCE).await?;
    let large = vec![7; 1024 * 1024];
    let refused = vec![
        begin("files"),
        file("a"),
        chunk(&large),
        chunk(&large),
        file("../a"),
    ];
    assert!(upload(&mut control, refused).await.is_err());
    assert_eq!(store.blobs().await?, Vec::new());
    // A client that is killed: its runtime goes, and its connection with it.
    let client = Runtime::new()?;
    let address = format!("http://{}", control.handle.control_addr());
    let bodies = [begin("files"), file("a"), chunk(&large), chunk(&large)];
    client.spawn(async move {
        let requests = bodies.map(|body| UploadResourceRequest { body: Some(body) });
        let open = futures::stream::iter(requests).chain(futures::stream::pending());
        let connected = ControlClient::connect(address).await;
        connected.expect("connect").upload_resource(open).await
    });
    let stored = timeout(BOUND, async {
        while store.blobs().await?.is_empty() {
            tokio::task::yield_now().await;
        }
        Ok::<(), StoreError>(())
    });
    stored.await??;
    client.shutdown_background();
    let gone = timeout(BOUND, async {
        while !store.blobs().await?.is_empty() {
            tokio::task::yield_now().await;
        }
        Ok::<(), StoreError>(())
    });
    gone.await??;
    let described = control.describe("RESOURCE", "files").await?;
    assert!(
        !described.keys().any(|key| key.starts_with("version")),
        "{described:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_store_that_takes_no_version_leaves_no_doubt_about_it() -> Outcome {
    let store = Arc::new(Guarded::alone()?);
    let mut control = Control::on(Arc::<Guarded>::clone(&store)).await?;
    control.ok("", RESOURCE).await?;
    store.set(Gate::Failing(1));
    let bodies = || vec![begin("files"), file("a"), chunk(b"x")];
    let refused = upload(&mut control, bodies()).await;
    assert!(
        refused
            .is_err_and(|status| status.code() == Code::Aborted && status.message().contains("on purpose"))
    );
    assert_eq!(upload(&mut control, bodies()).await?.version, 1);
    Ok(())
}

#[tokio::test]
async fn describe_lists_the_versions_and_one_that_is_used_is_not_dropped() -> Outcome {
    let mut control = Control::with_resource().await?;
    let content = || vec![begin("files"), file("a"), chunk(b"x"), file("empty")];
    let first = upload(&mut control, content()).await?;
    let again = upload(&mut control, content()).await?;
    assert_eq!((first.version, again.version), (1, 2));
    assert_eq!(first.checksum, again.checksum);
    let described = control.describe("RESOURCE", "files").await?;
    let line = format!("2 files 1 bytes sha256 {}", first.checksum);
    assert_eq!(described.get("version 1"), Some(&line));
    assert_eq!(described.get("version 2"), Some(&line));
    let client = "CREATE CLIENT c TYPE RABBITMQ MOUNT files VERSION 1 CONFIG {'addr' = 'amqps://h'};";
    control.ok("d", client).await?;
    let used = control.refused("d", "DROP RESOURCE files;").await?;
    assert!(used.contains("CLIENT c"), "{used}");
    control
        .ok(
            "d",
            "BEGIN; DROP CLIENT c; DROP RESOURCE files; COMMIT; CREATE RESOURCE files;",
        )
        .await?;
    let anew = upload(&mut control, content()).await?;
    assert_eq!(anew.version, 1, "versions went with their resource");
    Ok(())
}

#[tokio::test]
async fn an_upload_that_says_nothing_is_ended_and_uploads_at_a_time_are_bounded() -> Outcome {
    let hands = ManualClock::new();
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::in_memory()?);
    let clock = hands.physical();
    let mut control =
        Control::with(Arc::clone(&store), |options| ControlOptions { clock, ..options }).await?;
    control.ok("", RESOURCE).await?;
    let (mut senders, mut uploads) = (Vec::new(), JoinSet::new());
    for _ in 0..9 {
        senders.push(begun(&control).await?);
    }
    for (sender, call) in senders {
        uploads.spawn(async move {
            let answer = call.await;
            drop(sender);
            answer
        });
    }
    let refused = timeout(BOUND, uploads.join_next()).await?.ok_or("none")??;
    assert!(refused.is_err_and(|status| status.code() == Code::ResourceExhausted));
    let mut late = 0;
    while late < 8 {
        tokio::select! {
            Some(ended) = uploads.join_next() => {
                assert!(ended?.is_err_and(|status| status.code() == Code::Aborted));
                late += 1;
            }
            () = hands.advance(Duration::from_secs(61)) => {}
        }
    }
    assert_eq!(store.blobs().await?, []);
    Ok(())
}

type Answer = BoxFuture<'static, Result<tonic::Response<UploadResourceResponse>, Status>>;

/// An upload that has begun and says nothing more until its sender goes.
async fn begun(
    control: &Control,
) -> Result<(mpsc::Sender<UploadResourceRequest>, Answer), Box<dyn std::error::Error>> {
    let (sender, messages) = mpsc::channel(4);
    for body in [begin("files"), file("a"), chunk(b"abc")] {
        sender.send(UploadResourceRequest { body: Some(body) }).await?;
    }
    let mut client = control.client.clone();
    let call = async move { client.upload_resource(ReceiverStream::new(messages)).await };
    Ok((sender, call.boxed()))
}
