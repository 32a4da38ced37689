//! Finding one's way with a stock client: flights, schemas, refusals, and the encoding of metadata.

use arrow::datatypes::Schema;
use arrow_flight::{Criteria, FlightData, FlightDescriptor, Ticket};
use nervix_client::{Client, FlightKind};
use nervix_tests::flight::{Exchange, connect, descriptor, encode};
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, within};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

use crate::graph::{Graph, batch, schema};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sdk_finds_what_another_worker_than_the_first_executes() {
    let control = Nervix::start(&["control-plane", "--store", "store"]).await;
    let server = control.ports().control.clone();
    let worker = |node: &'static str| {
        let arguments = ["worker", "--server", &server, "--node", node].map(str::to_owned);
        async move { Nervix::start(&arguments.each_ref().map(String::as_str)).await }
    };
    // The graph goes to whoever is there first, and workers are listed by their names.
    let executes = worker("z").await;
    control.exec(&Graph::default().script());
    let idle = worker("a").await;
    // It does not know what there is, and says where that is known.
    let mut stock = connect(&idle.ports().flight).await;
    let listed = stock.list_flights(Criteria::default()).await;
    let moved = listed.expect_err("a worker without the graph");
    assert_eq!(moved.code(), Code::Unavailable, "{moved:?}");
    assert!(moved.message().contains(&executes.ports().flight), "{moved:?}");
    let client = must("connect", Client::connect(&server).await);
    let listed = must("list", client.flights(Some("d")).await);
    let mut names: Vec<&str> = listed.iter().map(|flight| flight.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["inbox", "outbox"]);
    let found = must("find", client.flight("d", FlightKind::Emitter, "outbox").await);
    assert_eq!(found.schema, schema());
    let absent = client.flight("d", FlightKind::Emitter, "absent").await;
    let absent = absent.expect_err("there is none");
    assert_eq!(absent.refusal().map(|why| why.code), Some(Code::NotFound));
    let nowhere = client.flights(Some("nowhere")).await.expect_err("no such domain");
    assert_eq!(nowhere.refusal().map(|why| why.code), Some(Code::NotFound));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_ingestor_and_emitter_is_listed_with_its_schema_and_place() {
    let server = Graph::default().serve().await;
    let mut client = connect(&server.ports().flight).await;
    for expression in ["", "d"] {
        let criteria = Criteria {
            expression: expression.as_bytes().to_vec().into(),
        };
        let mut flights = must("list", client.list_flights(criteria).await).into_inner();
        let mut paths = Vec::new();
        while let Some(info) = must("a flight", flights.message().await) {
            let path = info.flight_descriptor.clone().unwrap_or_default().path;
            assert_eq!(
                must("a schema", info.clone().try_decode_schema()),
                *schema(),
                "{path:?}"
            );
            assert!(
                info.endpoint.iter().any(|endpoint| !endpoint.location.is_empty()),
                "{path:?} has no place"
            );
            paths.push(path.join("/"));
        }
        paths.sort();
        assert_eq!(paths, ["d/emitter/outbox", "d/ingestor/inbox"]);
    }
    let unknown = Criteria {
        expression: b"nowhere".to_vec().into(),
    };
    let status = match client.list_flights(unknown).await {
        Err(status) => status,
        Ok(flights) => flights
            .into_inner()
            .message()
            .await
            .expect_err("an unknown domain"),
    };
    assert_eq!(status.code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schema_and_info_of_one_flight_are_given_and_unknown_ones_are_named() {
    let server = Graph::default().serve().await;
    let mut client = connect(&server.ports().flight).await;
    let info = must(
        "info",
        client.get_flight_info(descriptor("d", "emitter", "outbox")).await,
    )
    .into_inner();
    assert_eq!(must("its schema", info.try_decode_schema()), *schema());
    let result = must(
        "schema",
        client.get_schema(descriptor("d", "ingestor", "inbox")).await,
    )
    .into_inner();
    assert_eq!(must("decode", Schema::try_from(&result)), *schema());
    let missing = client
        .get_schema(descriptor("d", "emitter", "absent"))
        .await
        .expect_err("unknown emitter");
    assert_eq!(missing.code(), Code::NotFound);
    assert!(missing.message().contains("absent"), "{}", missing.message());
    let shapeless = client
        .get_schema(FlightDescriptor::new_cmd(b"SELECT 1".to_vec()))
        .await;
    assert_eq!(shapeless.expect_err("a command").code(), Code::InvalidArgument);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn do_get_is_unimplemented_and_names_do_exchange() {
    let server = Graph::default().serve().await;
    let mut client = connect(&server.ports().flight).await;
    let status = client
        .do_get(Ticket {
            ticket: b"d/emitter/outbox".to_vec().into(),
        })
        .await;
    let status = status.expect_err("DoGet");
    assert_eq!(status.code(), Code::Unimplemented);
    assert!(status.message().contains("DoExchange"), "{}", status.message());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_emitter_is_not_found_by_its_name() {
    let server = Graph::default().serve().await;
    let status = match Exchange::open(&server.ports().flight, "d", "absent").await {
        Err(status) => status,
        Ok(_) => panic!("an unknown emitter was opened"),
    };
    assert_eq!(status.code(), Code::NotFound);
    assert!(status.message().contains("absent"), "{}", status.message());
}

/// Opens DoExchange with raw metadata and returns the metadata of the first delivery.
async fn first_delivery(address: &str, hello: &'static [u8], credit: &'static [u8]) -> Vec<u8> {
    let mut client = connect(address).await;
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    let first = FlightData::new()
        .with_descriptor(descriptor("d", "emitter", "outbox"))
        .with_app_metadata(hello);
    must("send", sender.send(first).await);
    let opened = within("opening", client.do_exchange(ReceiverStream::new(receiver))).await;
    let mut messages = must("open", opened).into_inner();
    must(
        "send",
        sender.send(FlightData::new().with_app_metadata(credit)).await,
    );
    loop {
        let data =
            must("a message", within("a message", messages.message()).await).expect("the stream goes on");
        if !data.app_metadata.is_empty() {
            return data.app_metadata.to_vec();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metadata_is_json_until_the_client_speaks_protobuf() {
    let server = Graph {
        attachment: "DETACHED",
        ..Graph::default()
    }
    .serve()
    .await;
    let written = crate::graph::write_all(&server, vec![batch(0, 1), batch(1, 1)]).await;
    assert_eq!(written.len(), 2);
    let json = first_delivery(
        &server.ports().flight,
        b"{\"hello\":{}}",
        b"{\"credit\":{\"batches\":1}}",
    )
    .await;
    let json: serde_json::Value = must("JSON", serde_json::from_slice(&json));
    let delivery = &json["delivery"];
    assert_eq!(
        (delivery["attempt"].as_u64(), delivery["source"].as_str()),
        (Some(1), Some("events"))
    );
    assert_eq!(
        delivery["ackTimeoutMs"].as_str(),
        Some("30000"),
        "milliseconds are 64 bits wide: a string"
    );
    assert_eq!(delivery["branch"].as_str(), Some(""), "defaults are printed");
    // hello{} and credit{batches: 1} in protobuf.
    let binary = first_delivery(&server.ports().flight, &[0x0a, 0x00], &[0x12, 0x02, 0x08, 0x01]).await;
    assert_ne!(binary.first(), Some(&b'{'));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_put_without_metadata_gets_readable_answers() {
    let server = Graph {
        attachment: "DETACHED",
        ..Graph::default()
    }
    .serve()
    .await;
    let mut client = connect(&server.ports().flight).await;
    let mut messages = encode(&schema(), batch(0, 3));
    messages[0].flight_descriptor = Some(descriptor("d", "ingestor", "inbox"));
    let answers = client.do_put(futures::stream::iter(messages)).await;
    let mut answers = must("put", answers).into_inner();
    let answer = must("an answer", within("an answer", answers.message()).await).expect("one answer");
    let json: serde_json::Value = must("JSON", serde_json::from_slice(&answer.app_metadata));
    assert_eq!(json["answer"]["status"].as_str(), Some("DONE"));
    assert_eq!(
        (json["answer"]["first"].as_str(), json["answer"]["last"].as_str()),
        (Some("0"), Some("0"))
    );
    assert!(must("the end", within("the end", answers.message()).await).is_none());
}
