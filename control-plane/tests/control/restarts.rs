//! A control plane that is started again tells workers the same.

use std::{net::SocketAddr, sync::Arc};

use nervix_control_plane::{ControlOptions, ControlPlane};
use nervix_store::{EmbeddedStore, StoreError};
use tokio::{net::TcpListener, time::timeout};

use crate::harness::{BOUND, Control, FakeWorker, GRAPH, Outcome, emitter};

#[tokio::test]
async fn generations_keys_and_runs_are_the_same_after_a_restart() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("catalog");
    let mut control = Control::on(Arc::new(EmbeddedStore::open(&path)?)).await?;
    control.ok("", GRAPH).await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    worker.until_graph().await?;
    control.ok("d", &emitter("e2", "FLUSH IMMEDIATE")).await?;
    control.ok("d", "ALTER RELAY r SET CAPACITY 9;").await?;
    let before = worker
        .until("all", |known| known.entities.len() == 3 && known.steps == 3)
        .await?;
    control.handle.shutdown().await;
    worker.until("the end", |known| known.ended).await?;
    drop((control, worker));

    // It is let go of by the last task that has it.
    let opened = timeout(BOUND, async {
        loop {
            match EmbeddedStore::open(&path) {
                Err(StoreError::Locked { .. }) => tokio::task::yield_now().await,
                opened => return opened,
            }
        }
    });
    let control = Control::on(Arc::new(opened.await??)).await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    let after = worker.until("all", |known| known.entities.len() == 3).await?;
    assert_eq!(before.generations(), after.generations());
    assert_eq!(before.domains, after.domains);
    Ok(())
}

#[tokio::test]
async fn a_control_plane_that_stops_lets_go_of_its_port() -> Outcome {
    let control = Control::in_memory().await?;
    let address: SocketAddr = control.handle.control_addr();
    control.handle.shutdown().await;
    control.handle.stopped().await;
    assert!(!control.handle.ready());
    let listener = TcpListener::bind(address).await?;
    ControlPlane::start(ControlOptions::new(
        listener,
        Arc::new(EmbeddedStore::in_memory()?),
    ))
    .await?;
    Ok(())
}
