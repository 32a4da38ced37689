//! Servers that send without an end.

use nervix_sink::FailureKind;
use nspl_model::DataType;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::stage::{address, client_def, emitter, open, world};

/// The login is taken: AuthenticationOk.
const WELCOME: [u8; 9] = [b'R', 0, 0, 0, 8, 0, 0, 0, 0];

/// A message without its contents, which are so many bytes.
fn head(tag: u8, bytes: u32) -> Vec<u8> {
    [&[tag][..], &(bytes + 4).to_be_bytes()].concat()
}

/// Takes the login of one connection, and sends `first` and then `again` for as long as anybody reads.
async fn sends(first: Vec<u8>, again: Vec<u8>) -> (String, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let serve = async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let _login = stream.read(&mut [0; 1024]).await.expect("a login");
        flood(&mut stream, &first, &again).await;
    };
    (address, tokio::spawn(serve))
}

async fn flood(stream: &mut TcpStream, first: &[u8], again: &[u8]) {
    let mut sent = stream.write_all(first).await;
    while sent.is_ok() {
        sent = stream.write_all(again).await;
    }
}

/// What an emitter is told of a server that sends so; the server has ended.
async fn told(first: Vec<u8>, again: Vec<u8>) -> String {
    let (host, server) = sends(first, again).await;
    let addr = address(&host, "app", "sslmode=disable");
    let client =
        nervix_sink_postgres::connect(&client_def((0, 1), &[("addr", &addr)]), world()).expect("a client");
    let Err(failure) = open(client.as_ref(), emitter("events", &[("id", DataType::I64)], None)).await else {
        panic!("it opens");
    };
    server.await.expect("nobody reads it any more");
    assert_eq!(failure.kind, FailureKind::Unavailable);
    failure.message.as_str().to_owned()
}

#[tokio::test]
async fn a_server_that_never_gets_ready_is_left_at_a_bound_of_bytes() {
    let message = |tag, contents: &[u8]| {
        let bytes = u32::try_from(contents.len()).expect("a small message");
        [head(tag, bytes), contents.to_vec()].concat()
    };
    let parameter = message(b'S', &[&b"a\0"[..], &[b'b'; 1_000], b"\0"].concat());
    let notice = message(
        b'N',
        &[&b"SNOTICE\0C00000\0M"[..], &[b'n'; 1_000], b"\0\0"].concat(),
    );
    for again in [parameter, notice] {
        assert_eq!(
            told(WELCOME.to_vec(), again).await,
            "Postgres sent what no server has reason to send: more than 1048576 bytes before the connection stood"
        );
    }
}

#[tokio::test]
async fn a_message_without_an_end_is_refused_at_its_head() {
    let ready = [head(b'Z', 1), vec![b'I']].concat();
    let first = [WELCOME.to_vec(), ready, head(b'N', (1 << 31) - 8)].concat();
    assert_eq!(
        told(first, vec![b'n'; 64 * 1024]).await,
        "Postgres sent what no server has reason to send: a message of 2147483640 bytes"
    );
}
