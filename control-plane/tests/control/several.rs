//! Several control planes on one store.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::join;
use nervix_clock::ManualClock;
use nervix_control_plane::{ControlOptions, ControlPlane, LEASE};
use nervix_proto::v1::{ExecuteResponse, statement_result::Status};
use nervix_store::{Store, StoreError};
use tokio::{net::TcpListener, task::JoinSet, time::timeout};

use crate::{
    harness::{BOUND, Control, Drains, FakeWorker, GRAPH, Outcome, emitter, emitter_status},
    store::{Gate, Guarded},
};

fn shared() -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(Guarded::shared()?))
}

/// A control plane that has been there for a lease.
async fn longstanding(store: Arc<dyn Store>) -> Result<(Control, ManualClock), Box<dyn std::error::Error>> {
    let (control, hands) = Control::standing(store).await?;
    hands.advance(LEASE).await;
    Ok((control, hands))
}

/// Waits until a control plane knows what `other` has committed.
async fn catches_up(control: &Control, other: &Control) -> Outcome {
    let caught_up = timeout(BOUND, async {
        while control.handle.revision() < other.handle.revision() {
            tokio::task::yield_now().await;
        }
    });
    Ok(caught_up.await?)
}

#[tokio::test]
async fn concurrent_commits_of_two_control_planes_all_take_effect_or_are_refused() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    catches_up(&other, &one).await?;
    let mine: String = (0..20)
        .map(|n| emitter(&format!("a{n}"), "FLUSH IMMEDIATE") + "SHOW DOMAINS;")
        .collect();
    let theirs: String = (0..20)
        .map(|n| emitter(&format!("b{n}"), "FLUSH IMMEDIATE") + "SHOW DOMAINS;")
        .collect();
    let (mine, theirs) = join!(one.ok("d", &mine), other.ok("d", &theirs));
    mine?;
    theirs?;
    let both = emitter("both", "FLUSH IMMEDIATE");
    let (a, b) = join!(one.run("d", &both), other.run("d", &both));
    let (a, b) = (a?, b?);
    let is_made = |answer: &&ExecuteResponse| {
        let first = answer.results.first();
        first.is_some_and(|result| result.status() == Status::Ok)
    };
    let (made, lost): (Vec<_>, Vec<_>) = [&a, &b].into_iter().partition(is_made);
    assert_eq!((made.len(), lost.len()), (1, 1), "{a:?} {b:?}");
    let loser = lost[0];
    assert!(
        loser
            .diagnostics
            .iter()
            .any(|found| found.message.contains("both")),
        "{loser:?}"
    );
    catches_up(&one, &other).await?;
    let emitters = |control: &Control| {
        control
            .handle
            .catalog()
            .list("d", nspl::model::EntityKind::Emitter)
            .len()
    };
    let mut worker = FakeWorker::attach(&one.handle, "w1").await?;
    worker.until("all", |known| known.entities.len() == 43).await?;
    assert_eq!(emitters(&one), 42);
    Ok(())
}

#[tokio::test]
async fn a_worker_sees_what_the_other_control_plane_commits() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    let mut worker = FakeWorker::attach(&one.handle, "w1").await?;
    let before = worker.until_graph().await?.generations();
    catches_up(&other, &one).await?;
    other.ok("d", &emitter("e2", "FLUSH IMMEDIATE")).await?;
    other.ok("d", "STOP;").await?;
    let known = worker
        .until("e2", |known| {
            known.entities.len() == 3 && !known.domains["d"].running
        })
        .await?;
    assert!(
        before
            .iter()
            .all(|(entity, generation)| known.generations()[entity] == *generation)
    );
    drop(worker);
    let mut moved = FakeWorker::attach(&other.handle, "w1").await?;
    let after = moved
        .until("the graph", |known| known.entities.len() == 3)
        .await?;
    assert_eq!(after.generations(), known.generations());
    assert_eq!(after.domains, known.domains);
    Ok(())
}

#[tokio::test]
async fn a_change_that_needs_a_drain_is_carried_out_by_the_control_plane_of_the_worker() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    let mut worker = FakeWorker::attach(&one.handle, "w1").await?;
    worker.until_graph().await?;
    catches_up(&other, &one).await?;
    let described = other.describe("EMITTER", "e").await?;
    assert_eq!(described["consumers"], "active 2");
    let told = other.entity("EMITTER", "e").await?.emitter_status;
    assert_eq!(told, Some(emitter_status()));
    for statement in ["DESCRIBE EMITTER e;", "DESCRIBE RELAY r;", "DESCRIBE DOMAIN;"] {
        let shown = other.ok("d", statement).await?;
        let said = &shown.results[0].message;
        assert!(said.contains("metrics: sent 7"), "{statement}\n{said}");
    }
    other.ok("d", "DROP EMITTER e;").await?;
    let known = worker.until("dropped", |known| known.entities.len() == 1).await?;
    assert_eq!(known.drains.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_drain_ends_with_the_run_that_it_belongs_to() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    let mut worker = FakeWorker::with(&one.handle, "w1", Drains::NeverAnswer).await?;
    worker.until_graph().await?;
    catches_up(&other, &one).await?;
    let restarting = async {
        worker.until("the drain", |known| known.drains.len() == 1).await?;
        other.ok("d", "STOP; START;").await?;
        worker
            .until("the drain of the new run", |known| known.drains.len() == 2)
            .await?;
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    tokio::select! {
        // Judged between STOP and START there is nothing to drain: it is dropped, of which the worker could not have told.
        dropped = one.ok("d", "DROP EMITTER e;") => dropped.map(|_| ()),
        restarted = restarting => restarted,
    }
}

#[tokio::test]
async fn every_control_plane_tells_of_the_nodes_of_all() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    let mut worker = FakeWorker::attach(&one.handle, "w1").await?;
    worker.until_graph().await?;
    let mut second = FakeWorker::attach(&other.handle, "w2").await?;
    second
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    for control in [&mut one, &mut other] {
        control.sees(&["w1 connected", "w2 connected"]).await?;
        let shown = control.ok("", "SHOW CLUSTER STATUS;").await?;
        let said = &shown.results[0].message;
        assert_eq!(said.matches("connected").count(), 2, "{said}");
    }
    one.handle.shutdown().await;
    other.sees(&["w1 elsewhere", "w2 connected"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_node_statement_counts_the_nodes_of_all_control_planes() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    let mut first = FakeWorker::attach(&one.handle, "w1").await?;
    first.until_graph().await?;
    let mut second = FakeWorker::attach(&other.handle, "w2").await?;
    second
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    one.sees(&["w1 connected", "w2 connected"]).await?;
    let refused = one.refused("", "DROP NODE w2;").await?;
    assert!(refused.contains("node w2 is attached"), "{refused}");
    let refused = other.refused("", "DROP NODE w1;").await?;
    assert!(refused.contains("node w1 is attached"), "{refused}");
    // Sent to the control plane that the node is not attached to, and to a node that is attached to yet another.
    other.ok("", "DRAIN NODE w1;").await?;
    second.until_graph().await?;
    assert_eq!(first.known.borrow().drains.len(), 1);
    Ok(())
}

#[tokio::test]
async fn the_graph_of_a_lost_node_goes_to_a_node_of_another_control_plane() -> Outcome {
    let store = shared()?;
    let (mut one, hands) = Control::standing(Arc::clone(&store)).await?;
    let other = Control::on(store).await?;
    one.ok("", GRAPH).await?;
    let mut first = FakeWorker::attach(&one.handle, "w1").await?;
    first.until_graph().await?;
    let mut second = FakeWorker::attach(&other.handle, "w2").await?;
    second
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    drop(first);
    one.sees(&["w1 lost", "w2 connected"]).await?;
    hands.advance(LEASE).await;
    second.until_graph().await?;
    Ok(())
}

#[tokio::test]
async fn drop_node_is_the_way_out_when_a_control_plane_and_its_worker_are_gone() -> Outcome {
    let store = shared()?;
    let one = Control::on(Arc::clone(&store)).await?;
    let (mut other, _) = longstanding(store).await?;
    other.ok("", GRAPH).await?;
    let mut first = FakeWorker::attach(&one.handle, "w1").await?;
    first.until_graph().await?;
    let mut second = FakeWorker::attach(&other.handle, "w2").await?;
    second
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    one.handle.shutdown().await;
    drop(first);
    other.sees(&["w1 elsewhere", "w2 connected"]).await?;
    let refused = other.refused("d", "DROP EMITTER e;").await?;
    assert!(refused.contains("DROP NODE w1"), "{refused}");
    other.ok("", "DROP NODE w1;").await?;
    second.until_graph().await?;
    Ok(())
}

#[tokio::test]
async fn control_planes_that_say_one_address_leave_the_workers_of_one_another_alone() -> Outcome {
    let store = shared()?;
    let (mut one, _) = longstanding(Arc::clone(&store)).await?;
    let hands = ManualClock::new();
    let options = |options| ControlOptions {
        clock: hands.physical(),
        advertised_addr: Some(one.handle.control_addr().to_string()),
        ..options
    };
    let mut other = Control::with(store, options).await?;
    hands.advance(LEASE).await;
    one.ok("", GRAPH).await?;
    let mut first = FakeWorker::attach(&one.handle, "w1").await?;
    first.until_graph().await?;
    let mut second = FakeWorker::attach(&other.handle, "w2").await?;
    second
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    one.sees(&["w1 connected", "w2 elsewhere"]).await?;
    other.sees(&["w1 connected", "w2 connected"]).await?;
    assert_eq!(first.known.borrow().moved_to, "");
    assert_eq!(first.known.borrow().entities.len(), 2);
    assert!(second.known.borrow().entities.is_empty());
    Ok(())
}

#[tokio::test]
async fn an_address_that_others_cannot_dial_is_refused_on_a_shared_store() -> Outcome {
    for (advertised, is_good) in [
        (None, false),
        (Some("[::]:7460"), false),
        (Some("control.test"), false),
        (Some("http://control.test:7460"), false),
        (Some("control.test:0"), false),
        (Some("control.test:7460"), true),
        (Some("[2001:db8::1]:7460"), true),
    ] {
        let mut options = ControlOptions::new(TcpListener::bind("0.0.0.0:0").await?, shared()?);
        options.advertised_addr = advertised.map(str::to_owned);
        let started = ControlPlane::start(options).await;
        let is_refused = matches!(&started, Err(error) if error.to_string().contains("--advertise"));
        assert_eq!(
            (started.is_ok(), is_refused),
            (is_good, !is_good),
            "{advertised:?}"
        );
    }
    let alone: Arc<dyn Store> = Arc::new(Guarded::alone()?);
    let listener = TcpListener::bind("0.0.0.0:0").await?;
    ControlPlane::start(ControlOptions::new(listener, alone)).await?;
    Ok(())
}

#[tokio::test]
async fn a_worker_that_comes_over_keeps_the_graph_for_a_lease_from_its_registration_on() -> Outcome {
    let store = shared()?;
    let own = Arc::new(Guarded::over(Arc::clone(&store)));
    let one = Control::on(store).await?;
    let (mut other, _) = longstanding(Arc::<Guarded>::clone(&own)).await?;
    other.ok("", GRAPH).await?;
    let mut first = FakeWorker::attach(&one.handle, "w1").await?;
    first.until_graph().await?;
    let mut second = FakeWorker::attach(&other.handle, "w2").await?;
    second
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    own.set(Gate::Unanswered);
    assert!(FakeWorker::attach(&other.handle, "w1").await.is_err());
    other.sees(&["w1 lost", "w2 connected"]).await?;
    let mut again = FakeWorker::attach(&other.handle, "w1").await?;
    again.until_graph().await?;
    assert!(second.known.borrow().entities.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_control_plane_that_is_away_is_not_asked_at_each_question() -> Outcome {
    let store = shared()?;
    let silent = TcpListener::bind("127.0.0.1:0").await?;
    let address = silent.local_addr()?.to_string();
    let dials = Arc::new(AtomicUsize::new(0));
    let (counted, mut answering) = (Arc::clone(&dials), JoinSet::new());
    answering.spawn(async move {
        while let Ok((stream, _)) = silent.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            drop(stream);
        }
    });
    let one = Control::with(Arc::clone(&store), |options| ControlOptions {
        advertised_addr: Some(address),
        ..options
    })
    .await?;
    let (mut other, hands) = longstanding(store).await?;
    let _first = FakeWorker::attach(&one.handle, "w1").await?;
    other.sees(&["w1 elsewhere"]).await?;
    let before = dials.load(Ordering::Relaxed);
    assert!(before > 0);
    for _ in 0..20 {
        other.nodes().await?;
    }
    assert_eq!(dials.load(Ordering::Relaxed), before);
    hands.advance(Duration::from_secs(1)).await;
    other.nodes().await?;
    assert!(dials.load(Ordering::Relaxed) > before);
    Ok(())
}

/// What a script comes to at a control plane when another one runs `first` before its first commit.
async fn beaten(first: &str, script: &str) -> Result<ExecuteResponse, Box<dyn std::error::Error>> {
    let store: Arc<dyn Store> = shared()?;
    let slow = Arc::new(Guarded::over(Arc::clone(&store)));
    let mut other = Control::on(store).await?;
    other.ok("", GRAPH).await?;
    let own: Arc<dyn Store> = Arc::<Guarded>::clone(&slow);
    let mut one = Control::on(own).await?;
    slow.set(Gate::Held);
    let mut waiting = slow.waiting();
    let beating = async {
        timeout(BOUND, waiting.wait_for(|waiting| *waiting == 1)).await??;
        other.ok("d", first).await?;
        slow.set(Gate::Open);
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    let (answer, beat) = join!(one.run("", script), beating);
    beat?;
    Ok(answer?)
}

#[tokio::test]
async fn a_script_that_is_judged_again_and_refused_says_what_ran_and_what_did_not() -> Outcome {
    let (x, y) = (emitter("x", "FLUSH IMMEDIATE"), emitter("y", "FLUSH IMMEDIATE"));
    let script = format!("USE d; SHOW RELAYS; BEGIN; SHOW EMITTERS; {x} COMMIT; {y}");
    let answer = beaten(&x, &script).await?;
    let statuses: Vec<_> = answer.results.iter().map(|result| result.status()).collect();
    let not_run = Status::NotRun;
    assert_eq!(
        statuses,
        [Status::Ok, Status::Ok, not_run, not_run, not_run],
        "{answer:?}"
    );
    assert!(!answer.diagnostics.is_empty());
    let said = &answer.results[2].message;
    assert!(said.contains("the catalog changed meanwhile"), "{said}");
    assert_eq!(answer.domain, "d");
    Ok(())
}

#[tokio::test]
async fn a_script_that_is_judged_again_answers_each_statement_once() -> Outcome {
    let (x, y) = (emitter("x", "FLUSH IMMEDIATE"), emitter("y", "FLUSH IMMEDIATE"));
    let script = format!("USE d; BEGIN; SHOW EMITTERS; {x} COMMIT; {y}");
    let answer = beaten(&emitter("z", "FLUSH IMMEDIATE"), &script).await?;
    let statements: Vec<_> = answer
        .results
        .iter()
        .map(|result| result.statement.as_str())
        .collect();
    let expected = ["USE d", "SHOW EMITTERS", "CREATE EMITTER x", "CREATE EMITTER y"];
    assert_eq!(statements, expected, "{answer:?}");
    Ok(())
}
