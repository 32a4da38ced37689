//! Codecs with programs through real sinks: ON EMITTING makes the body of a request, ON EMITTING BATCH the value of a record.

use nervix_proto::client::v1::answer::Status;
use nervix_tests::error_records::{SEND_TO, error_records};
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};
use nervix_tests::kafka::Kafka;
use nervix_tests::wait::must;

use crate::http_graph::{HttpGraph, calls, post, writer};
use crate::kafka_graph::{KafkaGraph, TOPIC, events};
use crate::outside::{finish, line};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_emitting_makes_the_body_of_each_request_and_a_record_that_it_fails_on_is_rejected_alone() {
    let endpoint = HttpEndpoint::start(|_, _| Reply::status(200)).await;
    let graph = HttpGraph {
        codecs:
            "CREATE CODEC shaped FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS
            ON EMITTING 'if .event_id == \"e2\" then error(\"e2\") else {id: .event_id, text: .payload} end';",
        body: "ENCODE USING shaped",
        error: SEND_TO,
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must(
        "write",
        put.write(calls(&[post("/1"), post("/2"), post("/3")])).await,
    );
    let failed = error_records(&server, 1).await;
    assert_eq!(failed[0].id, 2);
    assert!(failed[0].told().starts_with("evaluation encode"), "{failed:?}");
    assert_eq!(
        failed[0].message,
        "emitter 'outbox' codec 'shaped' ON EMITTING failed"
    );
    assert_eq!(finish(put).await, [Status::Done]);
    let received = endpoint.until_received(2).await;
    let bodies: Vec<&[u8]> = received.iter().map(|request| &*request.body).collect();
    assert_eq!(
        bodies,
        [
            br#"{"id":"e1","text":"payload 1"}"#.as_slice(),
            br#"{"id":"e3","text":"payload 3"}"#
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_never_ends_is_ended_and_stalls_no_other_emitter() {
    let endpoint = HttpEndpoint::start(|_, _| Reply::status(200)).await;
    let graph = HttpGraph {
        codecs: "CREATE CODEC endless FROM JSON TO SCHEMA event
            WITH JAQ TRANSFORMATIONS ON EMITTING 'def f: f; f';",
        body: "ENCODE USING endless",
        error: SEND_TO,
        ..HttpGraph::to(&endpoint)
    };
    let arguments = ["dev", "--ephemeral", "--extension-time", "2s"];
    let server = nervix_tests::server::Nervix::start(&arguments).await;
    server.exec(&graph.script());
    // The same records through a codec without a program.
    let beside = HttpGraph {
        path: "'/beside'",
        body: "ENCODE USING event_body_codec",
        error: "LOG",
        ..graph
    };
    let beside = beside.emitter().replace("EMITTER outbox", "EMITTER beside");
    server.exec(&format!("USE d; {beside}"));
    let put = writer(&server).await;
    must("write", put.write(calls(&[post("/1")])).await);
    let received = endpoint.until_received(1).await;
    assert_eq!(received[0].target(), "/beside");
    let failed = error_records(&server, 1).await;
    assert_eq!(
        failed[0].message,
        "emitter 'outbox' codec 'endless' ON EMITTING ran longer than 2s"
    );
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(endpoint.received().await.len(), 1, "nothing of it was sent");
    assert_eq!(line(&server, "transient error").as_deref(), Some("none"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_emitting_batch_makes_the_value_of_a_record_of_many() {
    let kafka = Kafka::start().await;
    kafka.create_topic(TOPIC, 1, &[]).await;
    let graph = KafkaGraph {
        codecs: "CREATE CODEC shaped FROM JSON TO SCHEMA body WITH JAQ TRANSFORMATIONS
            ON EMITTING 'if .id == 2 then error(\"2\") else .note end' ON EMITTING BATCH '{count: length, notes: .}';",
        codec: "shaped",
        batch: "BATCH MAX MESSAGES 3 MAX SIZE 1KiB",
        ..KafkaGraph::to(&kafka)
    };
    let server = graph.serve().await;
    let rows = ["a", "b", "c", "d", "e"].into_iter().zip(1..);
    let rows: Vec<_> = rows.map(|(note, id)| (id, note, None)).collect();
    let put = crate::kafka_graph::writer(&server).await;
    must("write", put.write(events(&rows)).await);
    let failed = error_records(&server, 1).await;
    assert_eq!(failed[0].id, 2);
    assert!(failed[0].told().starts_with("evaluation encode"), "{failed:?}");
    assert_eq!(finish(put).await, [Status::Done]);
    let read = kafka.read(TOPIC).await;
    let values: Vec<String> = read
        .iter()
        .map(|record| String::from_utf8_lossy(&record.value).into_owned())
        .collect();
    let notes: Vec<serde_json::Value> = values
        .iter()
        .map(|value| must("JSON", serde_json::from_str(value)))
        .collect();
    let all: Vec<&str> = notes
        .iter()
        .flat_map(|value| value["notes"].as_array().expect("notes"))
        .filter_map(serde_json::Value::as_str)
        .collect();
    assert_eq!(all, ["a", "c", "d", "e"]);
    assert!(notes.len() <= 3 && notes.iter().all(|value| value["count"].as_u64() <= Some(3)));
    assert_eq!(
        notes[0]["count"].as_u64(),
        notes[0]["notes"].as_array().map(|notes| notes.len() as u64)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_without_a_payload_rejects_its_members_and_a_record_past_max_size_itself() {
    let kafka = Kafka::start().await;
    kafka.create_topic(TOPIC, 1, &[]).await;
    let emptied = KafkaGraph {
        codecs: "CREATE CODEC shaped FROM JSON TO SCHEMA body WITH JAQ TRANSFORMATIONS
            ON EMITTING '.' ON EMITTING BATCH 'if any(.[]; .id == 2) then empty else map(.id) end';",
        codec: "shaped",
        batch: "BATCH MAX MESSAGES 3 MAX SIZE 1KiB",
        ..KafkaGraph::to(&kafka)
    };
    let bounded = KafkaGraph {
        batch: "BATCH MAX MESSAGES 3 MAX SIZE 32B",
        ..KafkaGraph::to(&kafka)
    };
    let empty = "evaluation encode | emitter 'outbox' codec 'shaped' ON EMITTING BATCH produced no output \
                 for a batch of 3 messages";
    let large = "validation encode | emitter 'outbox' codec 'body_json' JSON payload exceeds MAX SIZE 32B";
    let note = "n".repeat(20);
    let cases = [(emptied, vec![1, 2, 3], empty), (bounded, vec![2], large)];
    for (graph, rejected, message) in cases {
        let server = graph.serve().await;
        let put = crate::kafka_graph::writer(&server).await;
        let rows = (1..=4).map(|id| (id, if id == 2 { note.as_str() } else { "n" }, None));
        must("write", put.write(events(&rows.collect::<Vec<_>>())).await);
        let failed = error_records(&server, rejected.len()).await;
        let ids: Vec<i64> = failed.iter().map(|failed| failed.id).collect();
        assert_eq!(ids, rejected);
        for member in &failed {
            assert_eq!(
                (member.told().as_str(), &member.reference),
                (message, &failed[0].reference)
            );
        }
        assert_eq!(finish(put).await, [Status::Done]);
    }
    let values: Vec<Vec<u8>> = kafka
        .read(TOPIC)
        .await
        .into_iter()
        .map(|read| read.value)
        .collect();
    let written = [
        "[4]",
        r#"[{"id":1,"note":"n"}]"#,
        r#"[{"id":3,"note":"n"}]"#,
        r#"[{"id":4,"note":"n"}]"#,
    ];
    assert_eq!(values, written.map(|value| value.as_bytes().to_vec()));
}
