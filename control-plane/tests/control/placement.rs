//! Who is let in, who executes the graph, and what that one was built for.

use std::sync::Arc;

use nervix_control_plane::ControlOptions;
use nervix_listener::within;
use nervix_proto::worker::v1::{
    Register, WorkerMessage, worker_message::Body, workers_client::WorkersClient,
};
use tokio::{sync::mpsc, task::JoinSet, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, transport::Endpoint};

use crate::{
    harness::{BOUND, Control, Drains, FakeWorker, GRAPH, Outcome, emitter},
    store::{Gate, Guarded},
};

/// Attaches with a registration and answers how that ends.
async fn attach(control: &Control, register: Register) -> Result<tonic::Status, Box<dyn std::error::Error>> {
    let mut client = WorkersClient::connect(format!("http://{}", control.handle.control_addr())).await?;
    let (outbox, messages) = mpsc::channel(1);
    let body = Some(Body::Register(register));
    outbox.send(WorkerMessage { body }).await?;
    match client.attach(ReceiverStream::new(messages)).await {
        Err(status) => Ok(status),
        Ok(_) => Err("it was let in".into()),
    }
}

#[tokio::test]
async fn a_worker_that_goes_while_its_registration_is_stored_is_not_attached() -> Outcome {
    let store = Arc::new(Guarded::alone()?);
    let mut control = Control::on(Arc::<Guarded>::clone(&store)).await?;
    control.ok("", GRAPH).await?;
    let mut second = FakeWorker::attach(&control.handle, "w2").await?;
    second.until_graph().await?;
    let mut waiting = store.waiting();
    store.set(Gate::Held);
    let mut attaching = JoinSet::new();
    let handle = control.handle.clone();
    attaching.spawn(async move {
        let attached = FakeWorker::attach(&handle, "w1").await;
        unreachable!("the store is held: {:?}", attached.is_ok());
    });
    timeout(BOUND, waiting.wait_for(|waiting| *waiting == 1)).await??;
    attaching.shutdown().await;
    store.set(Gate::Open);
    // Whatever was attached would be counted, and its node could not be dropped.
    timeout(BOUND, async {
        while !control.handle.metrics().contains("\nnervix_control_workers 1\n") {
            tokio::task::yield_now().await;
        }
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn of_two_workers_of_one_name_the_one_that_is_attached_stays() -> Outcome {
    let control = Control::with_graph().await?;
    let one = |instance: &str, address: &str| Register {
        instance: instance.into(),
        flight_address: address.into(),
        ..FakeWorker::registration("w1")
    };
    let mut first =
        FakeWorker::registered(&control.handle, one("a", "first.test:1"), Drains::Succeed).await?;
    first.until_graph().await?;
    let refused = attach(&control, one("b", "second.test:1")).await?;
    assert_eq!(refused.code(), Code::AlreadyExists);
    for part in ["w1", "first.test:1", "--node"] {
        assert!(refused.message().contains(part), "{refused}");
    }
    // The same one takes its own place, and another one that of one that is gone.
    let mut again =
        FakeWorker::registered(&control.handle, one("a", "first.test:1"), Drains::Succeed).await?;
    again.until_graph().await?;
    drop((first, again));
    timeout(BOUND, async {
        while FakeWorker::registered(&control.handle, one("b", "second.test:1"), Drains::Succeed)
            .await
            .is_err()
        {
            tokio::task::yield_now().await;
        }
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_registration_is_judged_before_anything_of_it_is_kept() -> Outcome {
    let control = Control::with_graph().await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    worker.until_graph().await?;
    let good = Register {
        node: "w1".into(),
        flight_address: "w1.test:7461".into(),
        kinds: vec!["CLIENT".into()],
        ..Register::default()
    };
    for bad in [
        Register {
            node: "n".repeat(129),
            ..good.clone()
        },
        Register {
            flight_address: "a".repeat(301),
            ..good.clone()
        },
        Register {
            flight_address: "a b".into(),
            ..good.clone()
        },
        Register {
            kinds: vec!["K".repeat(65)],
            ..good.clone()
        },
        Register {
            kinds: vec!["A,B".into()],
            ..good.clone()
        },
        Register {
            kinds: (0..257).map(|n| format!("K{n}")).collect(),
            ..good.clone()
        },
    ] {
        let refused = attach(&control, bad).await?;
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
    }
    assert!(
        !worker.known.borrow().ended,
        "the healthy session of that name goes on"
    );
    Ok(())
}

#[tokio::test]
async fn a_store_that_was_away_when_the_graph_had_to_move_is_asked_again() -> Outcome {
    let store = Arc::new(Guarded::alone()?);
    let (mut control, hands) = Control::standing(Arc::<Guarded>::clone(&store)).await?;
    control.ok("", GRAPH).await?;
    let mut first = FakeWorker::attach(&control.handle, "w1").await?;
    first.until_graph().await?;
    let mut second = FakeWorker::attach(&control.handle, "w2").await?;
    second
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    store.set(Gate::Failing(2));
    drop(first);
    control.sees(&["w1 lost", "w2 connected"]).await?;
    let moved = timeout(BOUND, async {
        while second.known.borrow().entities.is_empty() {
            control.pass_a_lease(&hands, &[&second]).await?;
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    });
    moved.await??;
    second.until_graph().await?;
    assert_eq!(*store.gate().borrow(), Gate::Open);
    Ok(())
}

/// An emitter TO KAFKA of the graph's relay, with its client and codec.
const TO_KAFKA: &str = "
BEGIN;
CREATE CLIENT k TYPE KAFKA CONFIG {'bootstrap.servers' = 'broker:9092'};
CREATE CODEC c FROM JSON TO SCHEMA s WITH JAQ TRANSFORMATIONS ON EMITTING '.';
CREATE EMITTER out FROM r TO KAFKA k TOPIC t MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 100ms MAX 1s
  ENCODE USING c INHERIT ALL FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
COMMIT;
";

#[tokio::test]
async fn what_no_build_runs_is_refused_without_a_worker_and_what_some_build_runs_names_it() -> Outcome {
    let mut control = Control::with_graph().await?;
    let pulsar = TO_KAFKA
        .replace(
            "KAFKA CONFIG {'bootstrap.servers' = 'broker:9092'}",
            "PULSAR CONFIG {'addr' = 'pulsar://h:6650'}",
        )
        .replace("TO KAFKA", "TO PULSAR");
    let refused = control.refused("d", &pulsar).await?;
    assert!(
        refused.contains("E1221") && refused.contains("no build of this release"),
        "{refused}"
    );
    let answer = control.ok("d", TO_KAFKA).await?;
    let said = &answer.results.last().ok_or("no result")?.message;
    assert!(said.contains("with the feature kafka"), "{said}");
    Ok(())
}

#[tokio::test]
async fn the_graph_is_not_given_to_a_node_that_was_not_built_for_it() -> Outcome {
    let store = Arc::new(Guarded::alone()?);
    let (mut control, hands) = Control::standing(Arc::<Guarded>::clone(&store)).await?;
    control.ok("", GRAPH).await?;
    control.ok("d", TO_KAFKA).await?;
    let mut plain = FakeWorker::attach(&control.handle, "a").await?;
    plain
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    assert!(plain.known.borrow().entities.is_empty());
    let mut built =
        FakeWorker::built_with(&control.handle, "b", Drains::Succeed, &["CLIENT", "KAFKA"]).await?;
    built
        .until("the graph", |known| known.entities.len() == 3)
        .await?;
    let refused = control.refused("", "DRAIN NODE b;").await?;
    assert!(refused.contains("node a was not built for KAFKA"), "{refused}");
    let mut other =
        FakeWorker::built_with(&control.handle, "c", Drains::Succeed, &["CLIENT", "KAFKA"]).await?;
    other
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    drop(built);
    control.sees(&["a connected", "b lost", "c connected"]).await?;
    control.pass_a_lease(&hands, &[&plain, &other]).await?;
    other
        .until("the graph", |known| known.entities.len() == 3)
        .await?;
    assert!(plain.known.borrow().entities.is_empty());
    Ok(())
}

#[tokio::test]
async fn the_graph_is_not_given_to_a_node_whose_messages_are_too_small_for_it() -> Outcome {
    let mut control = Control::with_graph().await?;
    let large = emitter("large", "FLUSH IMMEDIATE").replace("MAX SIZE 1MiB", "MAX SIZE 100MiB");
    let refused = control.refused("d", &large).await?;
    assert!(
        refused.contains("64MiB"),
        "without a node, by the default: {refused}"
    );
    let of = |node: &str, mebibytes: u64| Register {
        flight_message_bytes_max: mebibytes << 20,
        ..FakeWorker::registration(node)
    };
    let mut wide = FakeWorker::registered(&control.handle, of("a", 128), Drains::Succeed).await?;
    wide.until_graph().await?;
    control.ok("d", &large).await?;
    let mut narrow = FakeWorker::registered(&control.handle, of("b", 64), Drains::Succeed).await?;
    narrow
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    let refused = control.refused("", "DRAIN NODE a;").await?;
    assert!(
        refused.contains("node b") && refused.contains("64MiB"),
        "{refused}"
    );
    let mut other = FakeWorker::registered(&control.handle, of("c", 128), Drains::Succeed).await?;
    control.ok("", "DRAIN NODE a;").await?;
    other
        .until("the graph", |known| known.entities.len() == 3)
        .await?;
    assert!(narrow.known.borrow().entities.is_empty());
    Ok(())
}

#[tokio::test]
async fn an_emitter_whose_worker_is_away_says_so() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    worker.until_graph().await?;
    drop(worker);
    control.sees(&["w1 lost"]).await?;
    let answer = control.ok("d", &emitter("e2", "FLUSH IMMEDIATE")).await?;
    let said = &answer.results.last().ok_or("no result")?.message;
    assert!(said.contains("worker w1 is away"), "{said}");
    Ok(())
}

#[tokio::test]
async fn a_script_is_judged_by_the_node_that_executes_the_graph_alone() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut owner = FakeWorker::attach(&control.handle, "w1").await?;
    owner.until_graph().await?;
    let mut idle =
        FakeWorker::built_with(&control.handle, "w2", Drains::Succeed, &["CLIENT", "KAFKA"]).await?;
    idle.until("its domain", |known| known.domains.len() == 1).await?;
    let refused = control.refused("d", TO_KAFKA).await?;
    assert!(
        refused.contains("node w1, which executes the graph, was not built for TO KAFKA"),
        "{refused}"
    );
    assert!(refused.contains("DRAIN NODE w1"), "{refused}");
    control.ok("", "DRAIN NODE w1;").await?;
    idle.until_graph().await?;
    control.ok("d", TO_KAFKA).await?;
    Ok(())
}

#[tokio::test]
async fn workers_of_the_same_process_are_served_nowhere_else() -> Outcome {
    let (dialler, dialled) = within();
    let store = Arc::new(Guarded::alone()?);
    let control = Control::with(store, |options| ControlOptions {
        own_workers: Some(dialled),
        ..options
    })
    .await?;
    let register = Register {
        node: "w1".into(),
        ..Register::default()
    };
    let refused = attach(&control, register.clone()).await?;
    assert_eq!(refused.code(), Code::Unimplemented, "{refused}");
    let endpoint = Endpoint::from_static("http://within");
    let mut client = WorkersClient::new(endpoint.connect_with_connector(dialler).await?);
    let (outbox, messages) = mpsc::channel(1);
    let body = Some(Body::Register(register));
    outbox.send(WorkerMessage { body }).await?;
    let mut stream = client.attach(ReceiverStream::new(messages)).await?.into_inner();
    assert!(timeout(BOUND, stream.message()).await??.is_some());
    Ok(())
}
