//! HTTPS: trust, host and client certificates.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;

use nervix_sink::{FailureKind, OpenError, Outcome};
use nervix_tests::authority::Authority;
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};

use crate::attempt::{client, failure, open, request};

#[tokio::test]
async fn https_verifies_trust_and_host_and_shows_the_clients_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = Authority::new();
    let ca = folder.path().join("ca.pem");
    fs::write(&ca, authority.pem()).expect("a file");
    let server = Authority::server(&authority.issue(&["localhost"]), Some(&authority));
    let endpoint = HttpEndpoint::start_tls(server, |_, _| Reply::status(200)).await;
    let (certificate, key) = authority.issue(&["client"]).write(folder.path(), "client");
    let url = |host: &str| format!("https://{host}:{}", endpoint.port());
    let known: [(&str, &std::path::Path); 3] = [
        ("tls_ca_file", &ca),
        ("tls_cert_file", &certificate),
        ("tls_key_file", &key),
    ];

    let mut sink = open(&client(&url("localhost"), 20_000, &known))
        .await
        .expect("a sink");
    assert_eq!(sink.send(&request("GET", "/")).await, Outcome::DELIVERED);
    let host = endpoint.until_received(1).await[0].values("Host").join(",");
    assert_eq!(host, format!("localhost:{}", endpoint.port()));

    let mut sink = open(&client(&url("127.0.0.1"), 20_000, &known))
        .await
        .expect("a sink");
    let told = failure(sink.send(&request("GET", "/")).await).message;
    let start = "HTTP TLS handshake failed: invalid peer certificate: certificate not valid for name";
    assert!(told.as_str().starts_with(start), "{told}");

    let mut sink = open(&client(&url("localhost"), 20_000, &known[..1]))
        .await
        .expect("a sink");
    let told = failure(sink.send(&request("GET", "/")).await);
    assert_eq!(told.kind, FailureKind::Unauthorized, "{}", told.message);

    fs::write(&ca, Authority::new().pem()).expect("a file");
    let mut sink = open(&client(&url("localhost"), 20_000, &known))
        .await
        .expect("a sink");
    let told = failure(sink.send(&request("GET", "/")).await).message;
    assert_eq!(
        told.as_str(),
        "HTTP TLS handshake failed: invalid peer certificate: UnknownIssuer"
    );
    assert_eq!(
        endpoint.received().await.len(),
        1,
        "nothing was sent before TLS held"
    );
}

#[tokio::test]
async fn starting_reads_the_files_and_sends_no_probe() {
    let folder = tempfile::tempdir().expect("a folder");
    let absent = folder.path().join("absent.pem");
    let endpoint = TcpListener::bind("127.0.0.1:0").expect("a listener");
    endpoint.set_nonblocking(true).expect("it does not wait");
    let url = format!("https://{}", endpoint.local_addr().expect("an address"));
    let opened = open(&client(&url, 20_000, &[("tls_ca_file", &absent)])).await;
    let Err(OpenError::Unavailable(told)) = opened.map(drop) else {
        panic!("a file that is not there is told when the sink is opened");
    };
    assert_eq!(told.kind, FailureKind::Missing);
    assert!(told.message.as_str().contains("tls_ca_file"), "{}", told.message);

    let authority = Authority::new();
    fs::write(&absent, authority.pem()).expect("a file");
    let sink = open(&client(&url, 20_000, &[("tls_ca_file", &absent)])).await;
    drop(sink.expect("a sink"));
    let came = endpoint.accept().map_err(|error| error.kind());
    assert_eq!(came.err(), Some(ErrorKind::WouldBlock), "nobody has connected");
}
