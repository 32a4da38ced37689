//! Final heads decide, before and without a body.

use nervix_sink::{FailureKind, Outcome};
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};
use std::time::Duration;

use crate::attempt::{failure, hasty_to_port, request, to_port};

async fn outcome(reply: Reply) -> Outcome {
    let endpoint = HttpEndpoint::start(move |_, _| reply.clone()).await;
    let mut sink = to_port(endpoint.port()).await;
    sink.send(&request("POST", "/")).await
}

fn raw(text: &str) -> Reply {
    Reply::Close(text.as_bytes().to_vec())
}

#[tokio::test]
async fn a_complete_head_delivers_although_its_body_stalls_breaks_off_or_is_malformed() {
    let bodies = [
        Reply::Hold(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec()),
        raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
        raw("HTTP/1.1 202 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nboom\r\n"),
        raw("HTTP/1.1 299 OK\r\n\r\nuntil the end"),
        Reply::Hold(b"HTTP/1.1 204 None\r\n\r\n".to_vec()),
        raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nbad"),
        Reply::Drip(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec()),
        raw("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
    ];
    for reply in bodies {
        assert_eq!(outcome(reply.clone()).await, Outcome::DELIVERED, "{reply:?}");
    }
}

#[tokio::test]
async fn a_large_body_is_not_waited_for() {
    let mut bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n".to_vec();
    bytes.resize(64 << 20, b'x');
    assert_eq!(outcome(Reply::Close(bytes)).await, Outcome::DELIVERED);
}

#[tokio::test]
async fn a_redirect_is_refused_and_not_followed() {
    for status in [301, 302, 303, 304, 307, 308] {
        let reply = Reply::with_fields(status, "Location: /elsewhere\r\n");
        let endpoint = HttpEndpoint::start(move |_, _| reply.clone()).await;
        let mut sink = to_port(endpoint.port()).await;
        match sink.send(&request("GET", "/here")).await {
            Outcome::Rejected(rejection) => assert_eq!(
                rejection.message.as_str(),
                format!("HTTP endpoint answered with status {status}")
            ),
            other => panic!("{status}: {other:?}"),
        }
        assert_eq!(endpoint.received().await.len(), 1);
    }
}

#[tokio::test]
async fn a_challenge_sends_no_additional_request() {
    let reply = Reply::with_fields(401, "WWW-Authenticate: Basic realm=\"x\"\r\nSet-Cookie: a=b\r\n");
    let endpoint = HttpEndpoint::start(move |_, _| reply.clone()).await;
    let mut sink = to_port(endpoint.port()).await;
    let told = failure(sink.send(&request("GET", "/")).await);
    assert_eq!(told.kind, FailureKind::Unauthorized);
    assert_eq!(
        told.message.as_str(),
        "HTTP endpoint answered with authentication or authorization status 401"
    );
    let received = endpoint.until_received(1).await;
    assert_eq!(received.len(), 1);
    sink.send(&request("GET", "/")).await;
    let second = endpoint.until_received(2).await;
    assert!(second[1].values("Cookie").is_empty(), "cookies are not retained");
}

#[tokio::test]
async fn retry_after_is_read_of_retryable_answers_alone() {
    let asked = |status: u16| Reply::with_fields(status, "Retry-After: 5\r\n");
    for status in [408, 425, 429, 500, 503, 599, 401, 403, 407] {
        let told = failure(outcome(asked(status)).await);
        assert_eq!(told.retry_after, Some(Duration::from_secs(5)), "{status}");
    }
    assert_eq!(outcome(asked(200)).await, Outcome::DELIVERED);
    assert!(matches!(outcome(asked(404)).await, Outcome::Rejected(_)));
}

#[tokio::test]
async fn a_malformed_or_oversize_head_is_ambiguous_although_it_says_200() {
    let fields = |count: usize| {
        (0..count)
            .map(|index| format!("X-{index}: y\r\n"))
            .collect::<String>()
    };
    let heads = [
        raw("HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\r\n"),
        raw("HTTP/1.1 200 OK\r\nX : y\r\n\r\n"),
        raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        raw("HTTP/1.1 600 OK\r\n\r\n"),
        raw("\x16\x03\x01 not http\r\n\r\n"),
        Reply::with_fields(200, &fields(5_000)),
        Reply::with_fields(200, &format!("X-Large: {}\r\n", "a".repeat(1 << 20))),
        Reply::Hold("a".repeat(1 << 20).into_bytes()),
    ];
    for reply in heads {
        let told = failure(outcome(reply).await);
        assert_eq!(told.kind, FailureKind::Unavailable);
        assert!(
            told.message.as_str().starts_with("HTTP response header"),
            "{}",
            told.message
        );
    }
}

#[tokio::test]
async fn interim_heads_do_not_extend_the_timeout() {
    let forever = b"HTTP/1.1 102 Processing\r\n\r\n".repeat(10);
    let endpoint = HttpEndpoint::start(move |_, _| Reply::Hold(forever.clone())).await;
    let mut sink = hasty_to_port(endpoint.port()).await;
    let told = failure(sink.send(&request("POST", "/")).await);
    assert_eq!(told.kind, FailureKind::TimedOut);
    assert_eq!(
        told.message.as_str(),
        "HTTP request timed out before complete final response headers"
    );
}
