//! Kafka emitters against a real broker: what it receives, what it refuses, and what becomes of records while it is away.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nervix_client::{Answer, Client};
use nervix_proto::client::v1::answer::Status;
use nervix_tests::error_records::error_records;
use nervix_tests::kafka::{Kafka, PASSWORD, USER};
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, until, until_within};

use crate::graph::Flood;
use crate::kafka_graph::{KafkaGraph, TOPIC, ack, events, ids_of, numbered, without_backoff, writer};
use crate::outside::{delivered, finish, line, retried, trouble, until_well, write};

/// Counts records.
const DELIVERED: &str = "nervix_messages_total";

/// A broker with the topic, whose own settings are these.
async fn broker(settings: &[(&str, &str)]) -> Kafka {
    let kafka = Kafka::start().await;
    kafka.create_topic(TOPIC, 1, settings).await;
    kafka
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_carries_the_key_of_its_branch_and_its_headers_in_order() {
    let kafka = broker(&[]).await;
    let branched = KafkaGraph {
        relay: "BRANCHED BY by_tenant",
        keys: "BRANCHED BY by_tenant SET tenant = message.tenant",
        invoke: "INVOKE write_header('a', input.note), write_header('grün', ''), write_header('a', 'ü')",
        ..KafkaGraph::to(&kafka)
    };
    let server = branched.serve().await;
    let rows = [(1, "one", Some("acme")), (2, "two", Some("")), (3, "three", None)];
    assert_eq!(write(&server, events(&rows)).await, [Status::Done]);
    let mut read = kafka.read(TOPIC).await;
    read.sort_by_key(|record| ids_of(std::slice::from_ref(record)));
    let keys: Vec<Option<&[u8]>> = read.iter().map(|record| record.key.as_deref()).collect();
    assert_eq!(keys, [Some(&b"acme"[..]), Some(&b""[..]), None]);
    let text = |text: &str| Some(text.as_bytes().to_vec());
    let headers = [("a", text("one")), ("grün", text("")), ("a", text("ü"))];
    let headers = headers.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(read[0].headers, headers);
    assert_eq!(read[0].value, br#"{"id":1,"note":"one"}"#);

    let server = KafkaGraph::to(&kafka).serve().await;
    assert_eq!(
        write(&server, events(&[(4, "four", Some("acme"))])).await,
        [Status::Done]
    );
    let read = kafka.read(TOPIC).await;
    let unbranched = read.last().expect("a record");
    assert_eq!((unbranched.key.as_deref(), unbranched.headers.len()), (None, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_record_that_is_too_large_for_the_topic_is_rejected_alone() {
    let kafka = broker(&[("max.message.bytes", "1000")]).await;
    // All in one request: those of requests that are under way together change places over a retry (docs/kafka.md).
    let graph = KafkaGraph::to(&kafka).with(", 'linger.ms' = '500'");
    let server = graph.in_mode(without_backoff()).serve().await;
    let put = writer(&server).await;
    let large = "l".repeat(2_000);
    let note = |id: i64| if id % 100 == 50 { large.as_str() } else { "small" };
    let rows: Vec<_> = (0..100).map(|id| (id, note(id), None)).collect();
    must("write", put.write(events(&rows)).await);
    let failed = error_records(&server, 1).await;
    let message = failed[0].told();
    assert_eq!(failed[0].id, 50);
    let expected = "external publish | kafka rejected record: the Kafka broker refuses a record of 20";
    assert!(message.starts_with(expected), "{message}");
    assert!(
        message.contains("MessageSizeTooLarge") && !message.contains("lll"),
        "{message}"
    );
    assert_eq!(finish(put).await, [Status::Done]);
    let expected: Vec<i64> = (0..100).filter(|id| *id != 50).collect();
    assert_eq!(
        ids_of(&kafka.read(TOPIC).await),
        expected,
        "each other once, in order"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_above_the_clients_limit_is_never_written_and_both_sizes_are_named() {
    let kafka = broker(&[]).await;
    let graph = KafkaGraph::to(&kafka).with(", 'message.max.bytes' = '1500'");
    let server = graph.serve().await;
    let put = writer(&server).await;
    let large = "l".repeat(1_500);
    must(
        "write",
        put.write(events(&[(1, "a", None), (2, &large, None), (3, "c", None)]))
            .await,
    );
    let message = "external publish | kafka rejected record: Kafka record of 1554 bytes exceeds the client's \
                   message.max.bytes of 1500 bytes";
    let failed = error_records(&server, 1).await;
    assert_eq!((failed[0].id, failed[0].told().as_str()), (2, message));
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(ids_of(&kafka.read(TOPIC).await), [1, 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_is_one_record_and_its_rejection_is_every_members_with_one_reference() {
    let kafka = broker(&[]).await;
    let graph = KafkaGraph {
        batch: "BATCH MAX MESSAGES 3 MAX SIZE 1MiB",
        ..KafkaGraph::to(&kafka).with(", 'message.max.bytes' = 1000")
    };
    let server = graph.serve().await;
    let large = "l".repeat(1_000);
    let note = |id: i64| if id == 4 { large.as_str() } else { "n" };
    let rows: Vec<_> = (0..9).map(|id| (id, note(id), None)).collect();
    let put = writer(&server).await;
    must("write", put.write(events(&rows)).await);
    let failed = error_records(&server, 3).await;
    let ids: Vec<i64> = failed.iter().map(|failed| failed.id).collect();
    assert_eq!(ids, [3, 4, 5]);
    for member in &failed {
        assert_eq!(
            (&member.reference, member.told()),
            (&failed[0].reference, failed[0].told())
        );
        assert!(
            member
                .told()
                .contains("exceeds the client's message.max.bytes of 1000 bytes")
        );
    }
    assert_eq!(finish(put).await, [Status::Done]);
    let values: Vec<Vec<u8>> = kafka
        .read(TOPIC)
        .await
        .into_iter()
        .map(|record| record.value)
        .collect();
    let array = |ids: [i64; 3]| {
        let members = ids.map(|id| format!("{{\"id\":{id},\"note\":\"n\"}}"));
        format!("[{}]", members.join(",")).into_bytes()
    };
    assert_eq!(values, [array([0, 1, 2]), array([6, 7, 8])]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_that_is_full_is_waited_for_and_nothing_is_written_twice() {
    let kafka = broker(&[]).await;
    let graph = KafkaGraph::to(&kafka).with(", 'queue.buffering.max.messages' = 10, 'linger.ms' = 50");
    let server = graph.serve().await;
    assert_eq!(write(&server, numbered(0..100)).await, [Status::Done]);
    let expected: Vec<i64> = (0..100).collect();
    assert_eq!(ids_of(&kafka.read(TOPIC).await), expected, "each once, in order");
    assert!(server.metric("nervix_emitter_retries_total").await >= 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_is_away_for_longer_than_a_record_lives_loses_nothing() {
    let mut kafka = broker(&[]).await;
    let graph = KafkaGraph::to(&kafka).with(", 'message.timeout.ms' = 500, 'linger.ms' = 0");
    let server = graph.serve().await;
    let put = writer(&server).await;
    for first in (0..500).step_by(100) {
        must("write", put.write(numbered(first..first + 100)).await);
    }
    until("all of it is delivered", || async {
        (delivered(&server, DELIVERED).await >= 500.0).then_some(())
    })
    .await;
    kafka.kill(1);
    // One flush, and as many payloads as the window has.
    must("write", put.write(numbered(500..1_500)).await);
    // Each of these is an attempt that ended; records live for half a second, the last backoff is a tenth.
    retried(&server, 5_000.0).await;
    assert!(line(&server, "transient error").is_some_and(|told| told != "none"));
    assert!(
        delivered(&server, DELIVERED).await < 501.0,
        "nothing is acknowledged while the broker is away"
    );
    kafka.start_again(1).await;
    let statuses = finish(put).await;
    assert_eq!(statuses.len(), 6);
    assert!(
        statuses.iter().all(|status| *status == Status::Done),
        "{statuses:?}"
    );
    let read: BTreeSet<i64> = ids_of(&kafka.read(TOPIC).await).into_iter().collect();
    assert_eq!(read, (0..1_500).collect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_time_outs_leave_at_most_two_copies_and_the_work_goes_on() {
    let mut kafka = broker(&[]).await;
    let graph = KafkaGraph::to(&kafka).in_mode(ack("PARALLEL MAX 10", "200ms"));
    let server = graph.serve().await;
    assert_eq!(write(&server, numbered(0..1)).await, [Status::Done]);
    kafka.process(1).signal("STOP");
    let put = writer(&server).await;
    must("write", put.write(numbered(1..21)).await);
    trouble(&server, "no confirmation came within ACK TIMEOUT 200ms").await;
    // Ten payloads are out at once.
    retried(&server, 100.0).await;
    assert!(delivered(&server, DELIVERED).await < 2.0);
    kafka.process(1).signal("CONT");
    assert_eq!(finish(put).await, [Status::Done]);
    let mut copies: BTreeMap<i64, usize> = BTreeMap::new();
    for id in ids_of(&kafka.read(TOPIC).await) {
        *copies.entry(id).or_default() += 1;
    }
    assert_eq!(
        copies.keys().copied().collect::<Vec<i64>>(),
        (0..21).collect::<Vec<i64>>()
    );
    assert!(copies.values().all(|copies| *copies <= 2), "{copies:?}");
    until_well(&server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_tls_or_sasl_is_told_by_its_cause() {
    let kafka = broker(&[]).await;
    let ca = kafka.ca_file();
    let ca = ca.display();
    let ssl = |file: &str| format!(", 'security.protocol' = 'ssl', 'ssl.ca.location' = '{file}'");
    let sasl = |password: &str| {
        format!(
            ", 'security.protocol' = 'sasl_plaintext', 'sasl.mechanisms' = 'PLAIN',
             'sasl.username' = '{USER}', 'sasl.password' = '{password}'"
        )
    };
    let other = must("make a folder", tempfile::tempdir());
    let other_ca = other.path().join("ca.pem");
    let foreign = nervix_tests::authority::Authority::new().pem();
    must("write a certificate", std::fs::write(&other_ca, foreign));
    let wrong = "not-the-one-of-alice";
    let troubles = [
        (
            kafka.tls(),
            ssl(&other_ca.display().to_string()),
            "certificate verify failed",
        ),
        (
            kafka.tls_of_another_name(),
            ssl(&ca.to_string()),
            "certificate verify failed",
        ),
        (kafka.sasl(), sasl(wrong), "Authentication failed"),
    ];
    for (servers, client, cause) in troubles {
        let server = KafkaGraph::to_servers(servers).with(&client).serve().await;
        let put = writer(&server).await;
        must("write", put.write(numbered(0..1)).await);
        let told = trouble(&server, cause).await;
        assert!(!told.contains(wrong), "{told}");
        assert_eq!(line(&server, "state").as_deref(), Some("unavailable"));
        assert!(kafka.read(TOPIC).await.is_empty());
    }
    for (servers, client) in [
        (kafka.tls(), ssl(&ca.to_string())),
        (kafka.sasl(), sasl(PASSWORD)),
    ] {
        let server = KafkaGraph::to_servers(servers).with(&client).serve().await;
        assert_eq!(write(&server, numbered(0..1)).await, [Status::Done]);
    }
    assert_eq!(kafka.read(TOPIC).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_tls_come_from_a_mounted_resource_and_show_a_certificate() {
    let kafka = broker(&[]).await;
    let folder = kafka.client_folder();
    let graph = KafkaGraph {
        before: format!(
            "CREATE RESOURCE dev_tls; UPLOAD RESOURCE dev_tls VERSION '{}';",
            folder.display()
        ),
        mount: "MOUNT dev_tls VERSION 1",
        ..KafkaGraph::to_servers(kafka.mutual_tls()).with(
            ", 'security.protocol' = 'ssl', 'ssl.ca.location' = '{{ dev_tls }}/ca.pem',
             'ssl.certificate.location' = '{{ dev_tls }}/client.pem', 'ssl.key.location' = '{{ dev_tls }}/client.key'",
        )
    };
    let server = graph.serve().await;
    assert_eq!(write(&server, numbered(0..3)).await, [Status::Done]);
    assert_eq!(ids_of(&kafka.read(TOPIC).await), [0, 1, 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_topic_that_is_missing_is_told_and_stalls_no_other_emitter_of_the_client() {
    let kafka = broker(&[]).await;
    let graph = KafkaGraph::to(&kafka).with(", 'topic.metadata.propagation.max.ms' = 500");
    let server = graph.serve().await;
    let mode = &graph.mode;
    server.exec(&format!(
        "USE d;
         CREATE DETACHED EMITTER stray FROM events
           TO KAFKA brokers TOPIC nowhere MODE {mode} ENCODE USING body_json
           INHERIT id, note FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;"
    ));
    assert_eq!(write(&server, numbered(0..3)).await, [Status::Done]);
    until("the missing topic is told", || async {
        let described = server.exec("USE d; DESCRIBE EMITTER stray;");
        described.contains("UnknownTopic").then_some(())
    })
    .await;
    assert_eq!(write(&server, numbered(3..6)).await, [Status::Done]);
    assert_eq!(ids_of(&kafka.read(TOPIC).await), (0..6).collect::<Vec<i64>>());
    assert_eq!(
        kafka.topics().await,
        [TOPIC.to_owned()].into(),
        "no topic is made"
    );
    kafka.create_topic("nowhere", 1, &[]).await;
    until("what waited is delivered", || async {
        let read = ids_of(&kafka.read("nowhere").await);
        (read == (0..6).collect::<Vec<i64>>()).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_ack_waits_where_the_queue_is_full_and_keeps_its_order_over_an_outage() {
    let mut kafka = broker(&[]).await;
    let mode = "NO_ACK RETRY POLICY BACKOFF 10ms MAX 100ms".to_owned();
    let graph = KafkaGraph::to(&kafka)
        .in_mode(mode)
        .with(", 'queue.buffering.max.messages' = 10, 'message.timeout.ms' = 120000");
    let server = graph.serve().await;
    assert_eq!(write(&server, numbered(0..1)).await, [Status::Done]);
    kafka.kill(1);
    let put = writer(&server).await;
    must("write", put.write(numbered(1..101)).await);
    trouble(&server, "the Kafka producer's queue is full").await;
    kafka.start_again(1).await;
    assert_eq!(finish(put).await, [Status::Done]);
    until("all of it is there", || async {
        let read = ids_of(&kafka.read(TOPIC).await);
        (read == (0..101).collect::<Vec<i64>>()).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn properties_that_contradict_each_other_fail_at_once_in_librdkafkas_words() {
    let graph = KafkaGraph::to_servers("127.0.0.1:9".to_owned());
    let server = graph
        .with(", 'enable.idempotence' = TRUE, 'acks' = 1")
        .serve()
        .await;
    let put = writer(&server).await;
    must("write", put.write(numbered(0..1)).await);
    let told = trouble(&server, "librdkafka refuses the properties of the client").await;
    assert!(
        told.contains("`acks` must be set to `all` when `enable.idempotence` is true"),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_ack_is_done_when_the_producer_took_it_and_stop_and_a_polite_end_send_it() {
    let kafka = broker(&[]).await;
    let mode = "NO_ACK RETRY POLICY BACKOFF 10ms MAX 100ms".to_owned();
    let graph = KafkaGraph::to(&kafka).in_mode(mode).with(", 'linger.ms' = 60000");
    let mut server = graph.serve().await;
    assert_eq!(write(&server, numbered(0..100)).await, [Status::Done]);
    assert!(kafka.read(TOPIC).await.is_empty(), "it lingers");
    server.exec("USE d; STOP;");
    until("what lingered is sent", || async {
        (ids_of(&kafka.read(TOPIC).await) == (0..100).collect::<Vec<i64>>()).then_some(())
    })
    .await;
    server.exec("USE d; START;");
    assert_eq!(write(&server, numbered(100..200)).await, [Status::Done]);
    let ended = server.process().terminate().await;
    assert!(ended.success(), "{ended:?}");
    assert_eq!(ids_of(&kafka.read(TOPIC).await), (0..200).collect::<Vec<i64>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_polite_end_sends_what_lingers_in_mode_ack_too_and_answers_for_it() {
    let kafka = broker(&[]).await;
    let graph = KafkaGraph::to(&kafka)
        .in_mode(ack("PARALLEL MAX 1000", "120s"))
        .with(", 'linger.ms' = 60000");
    let mut server = graph.serve().await;
    let mut put = writer(&server).await;
    must("write", put.write(numbered(0..100)).await);
    until("it is with the producer", || async {
        let pending = server.metric("nervix_emitter_pending_payloads").await;
        (pending >= 100.0).then_some(())
    })
    .await;
    assert!(kafka.read(TOPIC).await.is_empty(), "it lingers");
    let (ended, answer) = tokio::join!(server.process().terminate(), put.answer());
    assert!(ended.success(), "{ended:?}");
    let answer = must("an answer", answer).expect("it is answered before the end");
    assert_eq!(answer.status(), Status::Done);
    assert_eq!(ids_of(&kafka.read(TOPIC).await), (0..100).collect::<Vec<i64>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_is_flat_while_the_broker_says_nothing() {
    let mut kafka = broker(&[]).await;
    let graph = KafkaGraph::to(&kafka).in_mode(ack("PARALLEL MAX 1000", "1s"));
    let mut server = graph.serve().await;
    assert_eq!(write(&server, numbered(0..1)).await, [Status::Done]);
    kafka.process(1).signal("STOP");
    let note = "m".repeat(1_000);
    let rows: Vec<_> = (0..1_000).map(|id| (id, note.as_str(), None)).collect();
    let message = nervix_tests::flight::encode(&events(&[]).schema(), events(&rows)).remove(1);
    let mut flood = Flood::repeating(writer(&server).await, message);
    retried(&server, 1_000.0).await;
    flood.stands_still().await;
    let early = server.process().resident_bytes();
    retried(&server, 5_000.0).await;
    let late = server.process().resident_bytes();
    assert!(
        late < early + 64 * 1024 * 1024,
        "it grew from {early} to {late} bytes"
    );
    kafka.process(1).signal("CONT");
    until_within(Duration::from_secs(60), "the work goes on", || async {
        (delivered(&server, DELIVERED).await > 2_000.0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_between_the_hand_over_and_the_report_loses_nothing() {
    let mut kafka = broker(&[]).await;
    let mut server = Nervix::dev_with_store().await;
    server.exec(&KafkaGraph::to(&kafka).script());
    let client = must("connect", Client::connect(&server.ports().control).await);
    let opened = client.writer("d", "inbox").open().await;
    let mut sdk = must("open a writer", opened);
    let ticket = must("write", sdk.write(numbered(0..1)).await);
    assert_eq!(must("an answer", ticket.await), Answer::Done);
    // What is handed over from now on has no report.
    kafka.process(1).signal("STOP");
    let mut tickets = Vec::new();
    for first in (1..501).step_by(100) {
        tickets.push(must("write", sdk.write(numbered(first..first + 100)).await));
    }
    until("records are with the producer", || async {
        let pending = server.metric("nervix_emitter_pending_payloads").await;
        (pending >= 100.0).then_some(())
    })
    .await;
    assert!(delivered(&server, DELIVERED).await < 2.0);
    server.process().kill();
    kafka.process(1).signal("CONT");
    server.start_again().await;
    for ticket in tickets {
        assert_eq!(must("an answer", ticket.await), Answer::Done);
    }
    must("close", sdk.close().await);
    let read: BTreeSet<i64> = ids_of(&kafka.read(TOPIC).await).into_iter().collect();
    assert_eq!(read, (0..501).collect());
}
