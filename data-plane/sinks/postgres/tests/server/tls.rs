//! `sslmode=verify-full`: who is trusted, and what is told when nobody is.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use nervix_sink::{Failure, FailureKind, RowSink};
use nervix_tests::authority::Authority;
use nervix_tests::postgres::{Postgres, USER};
use nspl_model::DataType;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinSet,
};

use crate::stage::{address, client_def, emitter, open, rows, server, world, written};

/// Opens a sink through this address with these files.
async fn opened(addr: &str, files: &[(&str, &str)]) -> Result<Box<dyn RowSink>, Failure> {
    let mut settings = vec![("addr", addr)];
    settings.extend(files);
    let client = nervix_sink_postgres::connect(&client_def((0, 1), &settings), world()).expect("a client");
    open(client.as_ref(), emitter("events", &[("id", DataType::I64)], None)).await
}

/// Writes the certificate of an authority into a file of `folder`.
fn file_of(authority: &Authority, folder: &tempfile::TempDir) -> String {
    let path = folder.path().join("ca.pem");
    std::fs::write(&path, authority.pem()).expect("a file");
    path.to_string_lossy().into_owned()
}

fn told(opened: Result<Box<dyn RowSink>, Failure>) -> (FailureKind, String) {
    match opened {
        Ok(_) => panic!("it opens"),
        Err(failure) => (failure.kind, failure.message.as_str().to_owned()),
    }
}

#[tokio::test]
async fn a_trusted_server_of_the_right_name_is_written_to_over_tls() {
    let server = server().await;
    server.table("events", "id bigint").await;
    let folder = tempfile::tempdir().expect("a folder");
    let ca = file_of(server.authority(), &folder);
    let host = format!("localhost:{}", server.port());
    for user in [USER, "tlsonly"] {
        let mut sink = opened(
            &address(&host, user, "sslmode=verify-full"),
            &[("tls_ca_file", &ca)],
        )
        .await
        .expect("it opens");
        let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        written(&sink.write(&rows(&[("id", ids)])).await);
        let encrypted = format!(
            "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = '{user}'"
        );
        assert_eq!(server.value(&encrypted).await, "t");
    }
}

#[tokio::test]
async fn another_issuer_another_name_and_a_login_without_tls_are_refused_and_told() {
    let server = server().await;
    server.table("events", "id bigint").await;
    let folder = tempfile::tempdir().expect("a folder");
    let ours = file_of(server.authority(), &folder);
    let host = format!("localhost:{}", server.port());
    let verified = address(&host, USER, "sslmode=verify-full");
    let other = tempfile::tempdir().expect("a folder");
    let theirs = file_of(&Authority::new(), &other);
    let (_, message) = told(opened(&verified, &[("tls_ca_file", &theirs)]).await);
    assert!(
        message.starts_with("Postgres TLS failed: ") && message.contains("UnknownIssuer"),
        "{message}"
    );
    let elsewhere = address(&server.address(), USER, "sslmode=verify-full");
    let (_, message) = told(opened(&elsewhere, &[("tls_ca_file", &ours)]).await);
    assert!(message.contains("not valid for name"), "{message}");
    let (kind, message) = told(opened(&address(&host, "tlsonly", "sslmode=disable"), &[]).await);
    assert_eq!(kind, FailureKind::Unauthorized);
    assert!(message.contains("28000"), "{message}");
    let missing = format!("{ours}.absent");
    let (kind, message) = told(opened(&verified, &[("tls_ca_file", &missing)]).await);
    assert_eq!(kind, FailureKind::Missing);
    assert!(message.contains("cannot be read"), "{message}");
}

#[tokio::test]
async fn a_wrong_password_and_a_server_without_tls_are_told_and_nothing_is_sent_in_the_clear() {
    let server = Postgres::start_with("another", "ssl = off").await;
    let host = format!("localhost:{}", server.port());
    let (kind, message) = told(opened(&address(&host, USER, "sslmode=disable"), &[]).await);
    assert_eq!(kind, FailureKind::Unauthorized);
    assert!(
        message.contains("28P01") && !message.contains("p4ss"),
        "{message}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let ca = file_of(server.authority(), &folder);
    let (_, message) = told(
        opened(
            &address(&host, USER, "sslmode=verify-full"),
            &[("tls_ca_file", &ca)],
        )
        .await,
    );
    assert_eq!(
        message,
        "Postgres at this address speaks no TLS, and sslmode=verify-full needs it"
    );
}

#[tokio::test]
async fn a_server_that_answers_what_is_no_message_is_told_as_that() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let host = listener.local_addr().expect("an address").to_string();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            // An answer that is shorter than its own length.
            drop(stream.write_all(b"E\0\0\0\x01").await);
            drop(stream.read(&mut [0; 1024]).await);
        }
    });
    let (kind, message) = told(opened(&address(&host, USER, "sslmode=disable"), &[]).await);
    assert_eq!(kind, FailureKind::Unavailable);
    assert_eq!(message, "Postgres answered what cannot be read");
}

#[tokio::test]
async fn a_server_that_wants_to_know_the_client_is_shown_its_certificate() {
    let server = server().await;
    server.table("events", "id bigint").await;
    let folder = tempfile::tempdir().expect("a folder");
    let ca = file_of(server.authority(), &folder);
    let host = format!("localhost:{}", server.port());
    let verified = address(&host, "known", "sslmode=verify-full");
    let (kind, message) = told(opened(&verified, &[("tls_ca_file", &ca)]).await);
    assert_eq!(kind, FailureKind::Unauthorized);
    assert!(message.contains("28000"), "{message}");
    let (certificate, key) = server
        .authority()
        .issue(&["client"])
        .write(folder.path(), "client");
    let files = [
        ("tls_ca_file", ca.as_str()),
        ("tls_cert_file", certificate.to_str().expect("UTF-8")),
        ("tls_key_file", key.to_str().expect("UTF-8")),
    ];
    let mut sink = opened(&verified, &files).await.expect("it opens");
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    written(&sink.write(&rows(&[("id", ids)])).await);
}
