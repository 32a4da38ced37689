//! TLS from files: who is trusted, who is refused, and what is said about it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nervix_clock::PhysicalClock;
use nervix_net::{
    Dialler, Endpoint, Identity, NetFault, Resolver, TlsClient, TlsFault, TlsFaultKind, TlsFiles,
};
use nervix_tests::authority::{Authority, Issued};
use nervix_tests::wait::within;
use rustls::ServerConfig;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// Greets whoever negotiates TLS with it.
struct Greeter {
    port: u16,
    _task: JoinSet<()>,
}

impl Greeter {
    async fn start(config: Arc<ServerConfig>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let port = listener.local_addr().expect("an address").port();
        let acceptor = TlsAcceptor::from(config);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if let Ok(mut stream) = acceptor.accept(stream).await
                    && stream.write_all(b"hello").await.is_ok()
                {
                    stream.shutdown().await.unwrap_or_default();
                }
            }
        });
        Self { port, _task: task }
    }

    /// What is read of it, or why nothing is.
    async fn greet(&self, host: &str, tls: &TlsClient) -> Result<String, TlsFault> {
        let dialler = Dialler::new(Resolver::system(), PhysicalClock::system());
        let deadline = dialler.clock().now().after(Duration::from_secs(10));
        let endpoint = Endpoint::new(host, self.port);
        let mut stream = match within("dialling", dialler.dial_tls(&endpoint, tls, deadline)).await {
            Ok(stream) => stream,
            Err(NetFault::Tls(fault)) => return Err(fault),
            Err(other) => panic!("{other}"),
        };
        let mut text = String::new();
        match stream.read_to_string(&mut text).await {
            Ok(_) => Ok(text),
            Err(error) => Err(TlsFault::of(&error).expect("a failure of TLS")),
        }
    }
}

fn trusting(ca: &Path) -> TlsFiles {
    TlsFiles {
        ca: Some(ca.to_owned()),
        identity: None,
    }
}

fn client(files: TlsFiles) -> TlsClient {
    TlsClient::new(files, &["http/1.1"], PhysicalClock::system())
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(folder: &TempDir, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    path
}

#[tokio::test]
async fn a_certificate_of_a_trusted_authority_and_this_host_is_taken() {
    let (folder, authority) = (folder(), Authority::new());
    let ca = write(&folder, "ca.pem", &authority.pem());
    let issued = authority.issue(&["localhost", "127.0.0.1"]);
    let server = Greeter::start(Authority::server(&issued, None)).await;
    let tls = client(trusting(&ca));
    for host in ["localhost", "127.0.0.1"] {
        assert_eq!(server.greet(host, &tls).await.as_deref(), Ok("hello"), "{host}");
    }
}

#[tokio::test]
async fn a_certificate_that_does_not_hold_says_why() {
    let (folder, authority) = (folder(), Authority::new());
    let ca = write(&folder, "ca.pem", &authority.pem());
    let refused: [(Issued, TlsFaultKind, &str); 3] = [
        (
            authority.issue(&["other.example"]),
            TlsFaultKind::OtherHost,
            "invalid peer certificate: certificate not valid for name \"localhost\"",
        ),
        (
            Authority::new().issue(&["localhost"]),
            TlsFaultKind::UnknownIssuer,
            "invalid peer certificate: UnknownIssuer",
        ),
        (
            authority.issue_expired(&["localhost"]),
            TlsFaultKind::Expired,
            "invalid peer certificate: certificate expired",
        ),
    ];
    for (issued, kind, text) in refused {
        let server = Greeter::start(Authority::server(&issued, None)).await;
        let fault = server
            .greet("localhost", &client(trusting(&ca)))
            .await
            .expect_err("refused");
        assert_eq!(fault.kind, kind, "{fault}");
        assert!(fault.to_string().starts_with(text), "{fault}");
    }
    let system = client(TlsFiles::default());
    let server = Greeter::start(Authority::server(&authority.issue(&["localhost"]), None)).await;
    let fault = server.greet("localhost", &system).await.expect_err("refused");
    let kinds = [TlsFaultKind::UnknownIssuer, TlsFaultKind::File];
    assert!(
        kinds.contains(&fault.kind),
        "the system trusts no authority of a test: {fault}"
    );
}

#[tokio::test]
async fn a_renewed_file_is_taken_by_the_next_connection() {
    let (folder, old, new) = (folder(), Authority::new(), Authority::new());
    let ca = write(&folder, "ca.pem", &old.pem());
    let tls = client(trusting(&ca));
    let before = Greeter::start(Authority::server(&old.issue(&["localhost"]), None)).await;
    let after = Greeter::start(Authority::server(&new.issue(&["localhost"]), None)).await;
    assert!(before.greet("localhost", &tls).await.is_ok());
    assert!(after.greet("localhost", &tls).await.is_err());
    write(&folder, "ca.pem", &new.pem());
    assert!(after.greet("localhost", &tls).await.is_ok());
    assert!(
        before.greet("localhost", &tls).await.is_err(),
        "not even a known session"
    );
    write(&folder, "ca.pem", &format!("{}{}", old.pem(), new.pem()));
    assert!(before.greet("localhost", &tls).await.is_ok());
    assert!(after.greet("localhost", &tls).await.is_ok());
}

#[tokio::test]
async fn a_server_that_wants_to_know_the_client_is_told_or_refuses() {
    let (folder, authority) = (folder(), Authority::new());
    let ca = write(&folder, "ca.pem", &authority.pem());
    let config = Authority::server(&authority.issue(&["localhost"]), Some(&authority));
    let server = Greeter::start(config).await;
    let (certificate, key) = authority.issue(&["client"]).write(folder.path(), "client");
    let known = TlsFiles {
        identity: Some(Identity { certificate, key }),
        ..trusting(&ca)
    };
    assert_eq!(
        server.greet("localhost", &client(known)).await.as_deref(),
        Ok("hello")
    );
    let (certificate, key) = Authority::new()
        .issue(&["client"])
        .write(folder.path(), "stranger");
    let stranger = TlsFiles {
        identity: Some(Identity { certificate, key }),
        ..trusting(&ca)
    };
    for files in [trusting(&ca), stranger] {
        let fault = server
            .greet("localhost", &client(files))
            .await
            .expect_err("refused");
        assert_eq!(fault.kind, TlsFaultKind::ClientCertificate, "{fault}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_what_it_should_be_is_named_with_the_remedy_and_never_quoted() {
    const MARK: &str = "cGxhbnRlZA";
    let (folder, authority) = (folder(), Authority::new());
    let ca = write(&folder, "ca.pem", &authority.pem());
    let (certificate, key) = authority.issue(&["client"]).write(folder.path(), "client");
    let (_, other_key) = authority.issue(&["client"]).write(folder.path(), "other");
    let absent = folder.path().join("absent.pem");
    let text = write(&folder, "text.pem", &format!("{MARK}\n"));
    let broken = format!("-----BEGIN CERTIFICATE-----\n{MARK}!\n");
    let broken = write(&folder, "broken.pem", &broken);
    let large = write(&folder, "large.pem", &"a".repeat(4 * 1024 * 1024 + 1));
    let with = |ca: &Path, certificate: &Path, key: &Path| TlsFiles {
        ca: Some(ca.to_owned()),
        identity: Some(Identity {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        }),
    };
    let cases = [
        (trusting(&absent), "tls_ca_file", "cannot be read"),
        (trusting(folder.path()), "tls_ca_file", "cannot be read"),
        (trusting(&text), "tls_ca_file", "holds no certificate"),
        (trusting(&broken), "tls_ca_file", "is broken PEM"),
        (trusting(&large), "tls_ca_file", "has more than 4194304 bytes"),
        (trusting(&key), "tls_ca_file", "holds no certificate"),
        (with(&ca, &absent, &key), "tls_cert_file", "cannot be read"),
        (with(&ca, &text, &key), "tls_cert_file", "holds no certificate"),
        (
            with(&ca, &certificate, &text),
            "tls_key_file",
            "holds no private key",
        ),
        (
            with(&ca, &certificate, &certificate),
            "tls_key_file",
            "holds no private key",
        ),
        (
            with(&ca, &certificate, &other_key),
            "tls_key_file",
            "is not the key of the certificate",
        ),
    ];
    for (files, key, says) in cases {
        let fault = client(files).config().await.expect_err("a fault");
        let text = fault.to_string();
        assert_eq!(fault.kind, TlsFaultKind::File, "{text}");
        assert!(text.contains(key) && text.contains(says), "{text}");
        assert!(
            text.contains(".pem") || text.contains(".key") || text.contains("tmp"),
            "{text}"
        );
        assert!(!text.contains(MARK), "{text}");
    }
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_or_nothing_is_told_apart() {
    let (folder, authority) = (folder(), Authority::new());
    let tls = client(trusting(&write(&folder, "ca.pem", &authority.pem())));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
    let endpoint = Endpoint::new("127.0.0.1", listener.local_addr().expect("an address").port());
    let dialler = Dialler::new(Resolver::system(), PhysicalClock::system());
    let deadline = dialler.clock().now().after(Duration::from_millis(300));
    let silent = dialler.dial_tls(&endpoint, &tls, deadline).await.map(drop);
    assert!(matches!(silent, Err(NetFault::TimedOut { .. })), "{silent:?}");
    drop(listener.accept().await.expect("the silent connection"));

    let plain = async {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        stream
            .write_all(b"HTTP/1.1 400 Bad\r\n\r\n")
            .await
            .expect("an answer");
        stream.read_to_end(&mut Vec::new()).await.unwrap_or_default();
    };
    let deadline = dialler.clock().now().after(Duration::from_secs(10));
    let (fault, ()) = tokio::join!(dialler.dial_tls(&endpoint, &tls, deadline), plain);
    match fault.map(drop) {
        Err(NetFault::Tls(fault)) => assert_eq!(fault.kind, TlsFaultKind::Protocol, "{fault}"),
        other => panic!("{other:?}"),
    }
}
