//! Bounds: message sizes, huge batches, consumers that do not read.

use nervix_proto::client::v1::answer::Status;
use nervix_tests::rows::{ids, read_ids};
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, until};
use tonic::Code;

use crate::graph::{Flood, Graph, batch, consumer, describe, expand, write_all, writer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_of_a_million_rows_arrives_in_batches_within_both_limits() {
    let graph = Graph {
        batch: "BATCH MAX MESSAGES 50000 MAX SIZE 256KiB",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let rows = 1_000_000;
    let put = writer(&server).await;
    must("write", put.write(batch(0, rows)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(u32::MAX).await;
    let mut next = 0;
    while next < rows {
        let (delivery, rows) = consumer.delivery().await;
        let ids = read_ids(&rows);
        assert!(ids.len() <= 50_000);
        assert_eq!(ids.first(), Some(&next), "rows arrive in order");
        next += i64::try_from(ids.len()).expect("small");
        consumer.ack(&delivery.r#ref).await;
    }
    let largest = consumer.largest();
    assert!(
        (128 * 1024..=256 * 1024).contains(&largest),
        "the largest batch was sent in {largest} bytes"
    );
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_over_the_limit_ends_the_stream_and_names_limit_and_remedy() {
    let server = Nervix::start(&["dev", "--ephemeral", "--flight-max-message", "1MiB"]).await;
    let small = Graph {
        batch: "BATCH MAX MESSAGES 1000 MAX SIZE 512KiB",
        ..Graph::default()
    };
    server.exec(&small.script());
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1_000_000)).await);
    let mut put = put;
    let status = put.answer().await.expect_err("the message is too large");
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(
        status.message().contains("1048576") || status.message().contains("1MiB"),
        "{}",
        status.message()
    );
    assert!(
        status.message().contains("--flight-max-message"),
        "{}",
        status.message()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emitter_whose_batches_cannot_travel_is_refused_when_applied() {
    let server = Nervix::start(&["dev", "--ephemeral", "--flight-max-message", "1MiB"]).await;
    let script = Graph {
        batch: "BATCH MAX MESSAGES 1000 MAX SIZE 1MiB",
        ..Graph::default()
    }
    .script();
    let refused = server.command(&["exec", &script]);
    assert_eq!(refused.status.code(), Some(1));
    let printed = nervix_tests::server::text(&refused.stderr);
    assert!(printed.contains("--flight-max-message"), "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_that_grants_credit_and_never_reads_costs_bounded_memory() {
    let mode = "ACK PARALLEL MAX 100000 ACK TIMEOUT 10m RETRY POLICY BACKOFF 10ms MAX 100ms";
    let graph = Graph {
        mode,
        batch: "BATCH MAX MESSAGES 65536 MAX SIZE 1MiB",
        relay_options: "CAPACITY 4",
        ..Graph::default()
    };
    let bounds = ["--flight-consumer-bytes", "8MiB", "--memory-budget", "64MiB"];
    let mut server = Nervix::start(&[&["dev", "--ephemeral"], &bounds[..]].concat()).await;
    server.exec(&graph.script());
    let rest = server.process().resident_bytes();
    let deaf = consumer(&server).await;
    deaf.credit(100_000).await;
    // Two gigabytes, if they went in.
    let mut flood = Flood::begin(writer(&server).await, 2_000);
    flood.stands_still().await;
    // What it was given (8 MiB) and the budget (64 MiB), each held at most twice: as columns and as bytes on the way.
    let grown = server.process().resident_bytes().saturating_sub(rest);
    assert!(grown < 2 * (64 + 8) * 1024 * 1024, "{grown} bytes more");
    drop((flood, deaf));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_that_many_consumers_do_not_read_is_in_memory_once() {
    const BATCH_BYTES: u64 = 24 * 1024 * 1024;
    let graph = Graph {
        mode: "ACK PARALLEL MAX 8 ACK TIMEOUT 300ms RETRY POLICY BACKOFF 10ms MAX 10ms",
        batch: "BATCH MAX MESSAGES 65536 MAX SIZE 48MiB",
        ..Graph::default()
    };
    let mut server = graph.serve().await;
    let rest = server.process().resident_bytes();
    let mut deaf = Vec::new();
    for _ in 0..12 {
        let consumer = consumer(&server).await;
        consumer.credit(100).await;
        deaf.push(consumer);
    }
    let put = writer(&server).await;
    let wide = "x".repeat(1024 * 1024);
    must("write", put.write(ids(0..24, &wide)).await);
    until("each of them was sent it", || async {
        let line = describe(&server)
            .into_iter()
            .find(|(key, _)| key == "consumers")?;
        let (_, after) = line.1.split_once("timeouts ")?;
        let timeouts: u32 = after.split(' ').next()?.parse().ok()?;
        (timeouts >= 12).then_some(())
    })
    .await;
    // As columns in the relay, as bytes of the payload, and what reading and encoding took.
    let grown = server.process().resident_bytes().saturating_sub(rest);
    assert!(grown < 6 * BATCH_BYTES, "{grown} bytes more");
    drop(deaf);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_that_reads_and_never_acknowledges_gets_its_window_and_no_more() {
    let mode = "ACK PARALLEL MAX 3 ACK TIMEOUT 10m RETRY POLICY BACKOFF 10ms MAX 100ms";
    let graph = Graph {
        mode,
        batch: "BATCH MAX MESSAGES 1 MAX SIZE 1MiB",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 10)).await);
    let mut reading = consumer(&server).await;
    reading.credit(100).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(reading.delivery().await.0.r#ref);
    }
    // The fourth comes only after one of the three is acknowledged: the next event is the outcome.
    reading.ack(&held[0]).await;
    match must("an event", reading.next().await) {
        Some(nervix_tests::flight::Event::Outcome(outcome)) => assert_eq!(outcome.r#ref, held[0]),
        other => panic!("more than three batches of one branch are outstanding: {other:?}"),
    }
    reading.delivery().await;
    drop(reading);
    let mut next = consumer(&server).await;
    next.credit(100).await;
    let mut seen = Vec::new();
    while seen.len() < 9 {
        let (delivery, rows) = next.delivery().await;
        seen.extend(read_ids(&rows));
        next.ack(&delivery.r#ref).await;
    }
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_slice_of_a_huge_batch_is_measured_as_the_slice() {
    let graph = Graph {
        batch: "BATCH MAX MESSAGES 1000 MAX SIZE 4KiB",
        ..Graph::default()
    };
    let server = Graph {
        source_filter: "WHERE input.id < 10",
        ..graph
    }
    .serve()
    .await;
    let (answers, seen) = tokio::join!(write_all(&server, vec![batch(0, 100_000)]), async {
        let mut consumer = consumer(&server).await;
        consumer.credit(10).await;
        let (delivery, rows) = consumer.delivery().await;
        consumer.ack(&delivery.r#ref).await;
        consumer.outcome(&delivery.r#ref).await;
        read_ids(&rows)
    });
    assert_eq!(seen, (0..10).collect::<Vec<i64>>());
    assert_eq!(answers, [(0, Status::Done)]);
}

/// Conditions that are false of every record, as high as the language lets one be.
fn highest() -> Vec<String> {
    let chain = |terms: usize, link: &str, term: &dyn Fn(usize) -> String| {
        (0..terms).map(term).collect::<Vec<_>>().join(link)
    };
    let nested = |before: &str, inner: &str, after: &str| before.repeat(60) + inner + &after.repeat(60);
    vec![
        format!("0 > {}", chain(255, " + ", &|_| "input.id".to_owned())),
        chain(255, " AND ", &|n| format!("regexp_like(input.origin, 'no {n}')")),
        chain(125, " OR ", &|n| format!("input.origin = 'no {n}'")),
        nested("upper(", "input.origin", ")") + " = 'no'",
        nested("CASE WHEN input.id < 0 THEN 1 ELSE ", "2", " END") + " = 1",
        nested("coalesce(", "input.origin", ", 'no')") + " = 'no'",
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expressions_as_high_as_they_may_be_run_and_are_there_again_after_a_kill() {
    let graph = Graph {
        source_filter: "WHERE input.id < 0",
        ..Graph::default()
    };
    let mut server = Nervix::dev_with_store().await;
    server.exec(&graph.script());
    for (n, condition) in highest().iter().enumerate() {
        let emitter = graph.emitter(&format!("high{n}"));
        server.exec(&format!("USE d; {}", emitter.replace("input.id < 0", condition)));
        server.exec(&format!(
            "USE d; SHOW CREATE EMITTER high{n}; DESCRIBE EMITTER high{n};"
        ));
    }
    assert_eq!(write_all(&server, vec![batch(0, 10)]).await, [(0, Status::Done)]);
    server.process().kill();
    server.start_again().await;
    assert_eq!(write_all(&server, vec![batch(0, 10)]).await, [(0, Status::Done)]);
}
