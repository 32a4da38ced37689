//! Whatever keeps a final head from coming leaves the record unresolved, with its cause.

use bytes::Bytes;
use nervix_net::NameFault;
use nervix_sink::{FailureKind, Outcome, PreparedRequest};
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};
use nervix_tests::ports::free_port;
use nervix_tests::wait::within;
use tokio::net::TcpListener;

use crate::attempt::{client, failure, hasty_to_port, open, request, to_port};

fn large(target: &str) -> PreparedRequest {
    PreparedRequest {
        body: Some(Bytes::from(vec![b'x'; 32 << 20])),
        ..request("PUT", target)
    }
}

#[tokio::test]
async fn a_port_where_nothing_listens_is_told() {
    let port = free_port();
    let told = failure(to_port(port).await.send(&request("GET", "/")).await);
    assert_eq!(told.kind, FailureKind::Unavailable);
    assert_eq!(
        told.message.as_str(),
        format!("HTTP connection failed: connecting to 127.0.0.1:{port} failed: the connection was refused")
    );
}

#[tokio::test]
async fn a_name_that_does_not_resolve_keeps_the_resolvers_words() {
    // `.invalid` never exists (RFC 6761); a machine without a name server says so instead.
    let client = client("http://nowhere.invalid", 20_000, &[]);
    let mut sink = open(&client).await.expect("a sink");
    let told = failure(sink.send(&request("GET", "/")).await);
    let words = [NameFault::Missing, NameFault::Unreachable, NameFault::Unanswered];
    let words =
        words.map(|cause| format!("HTTP connection failed: resolving 'nowhere.invalid' failed: {cause}"));
    assert!(words.contains(&told.message.to_string()), "{}", told.message);
}

#[tokio::test]
async fn an_endpoint_that_accepts_and_never_answers_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
    let mut sink = hasty_to_port(listener.local_addr().expect("an address").port()).await;
    for request in [request("GET", "/"), large("/")] {
        let told = failure(within("an attempt", sink.send(&request)).await);
        assert_eq!(told.kind, FailureKind::TimedOut);
        assert_eq!(
            told.message.as_str(),
            "HTTP request timed out before complete final response headers"
        );
    }
}

#[tokio::test]
async fn a_connection_that_ends_or_breaks_before_a_final_head_is_told() {
    let replies = [
        (
            Reply::Close(Vec::new()),
            "HTTP connection ended before complete final response headers",
        ),
        (
            Reply::Close(b"HTTP/1.1 200 OK\r\nX: y\r\n".to_vec()),
            "HTTP connection ended before complete final response headers",
        ),
        (
            Reply::Close(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec()),
            "HTTP connection ended before complete final response headers",
        ),
        (
            Reply::Reset,
            "HTTP connection failed before complete final response headers: connection reset",
        ),
    ];
    for (reply, text) in replies {
        let endpoint = HttpEndpoint::start(move |_, _| reply.clone()).await;
        let told = failure(to_port(endpoint.port()).await.send(&request("GET", "/")).await);
        assert_eq!(
            (told.kind, told.message.as_str()),
            (FailureKind::Unavailable, text)
        );
    }
}

#[tokio::test]
async fn what_an_endpoint_answers_before_it_has_read_the_request_counts() {
    let early = |status: u16| {
        let head = format!("HTTP/1.1 {status} Early\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        move |_: usize, _: &_| Reply::Early(head.clone().into_bytes())
    };
    let endpoint = HttpEndpoint::start(early(413)).await;
    let outcome = to_port(endpoint.port()).await.send(&large("/")).await;
    assert!(matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
    let endpoint = HttpEndpoint::start(early(503)).await;
    let outcome = to_port(endpoint.port()).await.send(&large("/")).await;
    assert!(matches!(outcome, Outcome::Unresolved(_)), "{outcome:?}");
}

#[tokio::test]
async fn an_attempt_that_is_dropped_ends_its_connection() {
    let endpoint = HttpEndpoint::start(|nth, _| match nth {
        0 => Reply::Hold(Vec::new()),
        _ => Reply::status(200),
    })
    .await;
    let mut sink = to_port(endpoint.port()).await;
    let first = request("GET", "/first");
    {
        let mut attempt = sink.send(&first);
        tokio::select! {
            outcome = &mut attempt => panic!("{outcome:?}"),
            received = endpoint.until_received(1) => assert_eq!(received.len(), 1),
        }
    }
    assert_eq!(sink.send(&request("GET", "/second")).await, Outcome::DELIVERED);
}
