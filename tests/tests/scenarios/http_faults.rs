//! HTTP emitters in trouble that outlasts a moment: changes that cannot drain, client certificates that are not taken, full
//! input while the endpoint is away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nervix_proto::client::v1::answer::Status;
use nervix_tests::authority::Authority;
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};
use nervix_tests::server::{Nervix, text};
use nervix_tests::wait::must;

use crate::graph::Flood;
use crate::http_graph::{Call, HttpGraph, calls, post, writer};
use crate::outside::{finish, line, retried, trouble, write};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_whose_drain_fails_changes_nothing_and_the_request_goes_on() {
    let away = Arc::new(AtomicBool::new(true));
    let is_away = Arc::clone(&away);
    let endpoint = HttpEndpoint::start(move |_, _| match is_away.load(Ordering::SeqCst) {
        true => Reply::status(503),
        false => Reply::status(200),
    })
    .await;
    let server = Nervix::start(&["dev", "--ephemeral", "--drain-timeout", "1s"]).await;
    let graph = HttpGraph::to(&endpoint);
    server.exec(&graph.script());
    let put = writer(&server).await;
    must("write", put.write(calls(&[post("/1"), post("/2")])).await);
    endpoint.until_received(1).await;
    let alter = "USE d; ALTER EMITTER outbox SET TO HTTP api METHOD 'PUT' PATH input.request_path
        MODE ACK RETRY POLICY BACKOFF 10ms MAX 100ms ENCODE USING event_body_codec;";
    let created = server.exec("USE d; SHOW CREATE EMITTER outbox;");
    let other = HttpGraph {
        method: "'PUT'",
        ..graph.clone()
    };
    let again = format!("USE d; BEGIN; DROP EMITTER outbox; {} COMMIT;", other.emitter());
    for change in [alter, &again] {
        let refused = server.command(&["exec", change]);
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{told}");
        assert!(told.contains("drain"), "{told}");
        assert_eq!(server.exec("USE d; SHOW CREATE EMITTER outbox;"), created);
    }
    assert_eq!(
        line(&server, "transient error").as_deref(),
        Some("HTTP endpoint answered with retryable status 503"),
        "it goes on as it was"
    );
    away.store(false, Ordering::SeqCst);
    assert_eq!(finish(put).await, [Status::Done]);
    server.exec(alter);
    let put = writer(&server).await;
    must("write", put.write(calls(&[post("/3")])).await);
    assert_eq!(finish(put).await, [Status::Done]);
    let received = endpoint.received().await;
    let methods = |target: &str| -> Vec<&str> {
        let of = received.iter().filter(|request| request.target() == target);
        of.map(|request| request.method()).collect()
    };
    assert!(methods("/1").len() > 1 && methods("/1").iter().all(|method| *method == "POST"));
    assert_eq!((methods("/2"), methods("/3")), (vec!["POST"], vec!["PUT"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_certificate_is_shown_and_one_of_another_authority_is_not_taken() {
    let folder = must("a folder", tempfile::tempdir());
    let (servers, clients, others) = (Authority::new(), Authority::new(), Authority::new());
    let config = Authority::server(&servers.issue(&["localhost"]), Some(&clients));
    let endpoint = HttpEndpoint::start_tls(config, |_, _| Reply::status(200)).await;
    let ca = folder.path().join("ca.pem");
    must("write a file", std::fs::write(&ca, servers.pem()));
    let (certificate, key) = others.issue(&["app"]).write(folder.path(), "client");
    let graph = HttpGraph {
        client: format!(
            ", 'tls_ca_file' = '{}', 'tls_cert_file' = '{}', 'tls_key_file' = '{}'",
            ca.display(),
            certificate.display(),
            key.display()
        ),
        ..HttpGraph::to_url(format!("https://localhost:{}", endpoint.port()))
    };
    let mut server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(calls(&[post("/1")])).await);
    let told = trouble(&server, "").await;
    assert!(told.starts_with("HTTP"), "{told}");
    assert!(endpoint.received().await.is_empty(), "no request got through");
    clients.issue(&["app"]).write(folder.path(), "client");
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(endpoint.received().await.len(), 1);
    let key = must("read the key", std::fs::read_to_string(&key));
    let secret = must("a key has lines", key.lines().nth(1).ok_or("none"));
    assert!(!server.process().printed().contains(secret), "the key is logged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_is_flat_while_the_endpoint_is_away() {
    let mut endpoint = HttpEndpoint::start(|_, _| Reply::status(200)).await;
    // Its rows are wide and its requests are made fast, so that it is soon full.
    let graph = HttpGraph {
        method: "'POST'",
        path: "'/flood'",
        invoke: "",
        ..HttpGraph::to(&endpoint)
    };
    let mut server = graph.serve().await;
    assert_eq!(write(&server, calls(&[post("/1")])).await, [Status::Done]);
    endpoint.kill().await;
    let tenant = "m".repeat(1_000);
    let call = Call {
        tenant: &tenant,
        ..post("/flood")
    };
    let message = nervix_tests::flight::encode(&calls(&[]).schema(), calls(&[call; 1_000])).remove(1);
    let mut flood = Flood::repeating(writer(&server).await, message);
    retried(&server, 10.0).await;
    flood.stands_still().await;
    retried(&server, 40.0).await;
    flood.stands_still().await;
    let early = server.process().resident_bytes();
    retried(&server, 100.0).await;
    let late = server.process().resident_bytes();
    assert!(
        late < early + 64 * 1024 * 1024,
        "it grew from {early} to {late} bytes"
    );
    let before = endpoint.received().await.len();
    endpoint.start_again().await;
    endpoint.until_received(before + 1_000).await;
}
