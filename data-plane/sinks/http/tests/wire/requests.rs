//! What the endpoint receives.

use bytes::Bytes;
use nervix_sink::{Header, Headers, Outcome, PreparedRequest};
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};

use crate::attempt::{request, to_port};

#[tokio::test]
async fn a_request_arrives_as_it_was_prepared_and_so_does_its_repetition() {
    let endpoint = HttpEndpoint::start(|_, _| Reply::status(200)).await;
    let port = endpoint.port();
    let mut sink = to_port(port).await;
    let body: Vec<u8> = (0..=255).cycle().take(3 << 20).collect();
    let headers = [
        ("X-Tenant", "grün"),
        ("Content-Encoding", "gzip"),
        ("x-empty", ""),
    ];
    let headers = headers.map(|(name, value)| Header {
        name: name.into(),
        value: value.into(),
    });
    let prepared = PreparedRequest {
        headers: Headers::new(headers.into()),
        body: Some(Bytes::from(body.clone())),
        ..request("PaTcH", "/a%2Fb?x=1&x=2+3&")
    };
    for _ in 0..2 {
        assert_eq!(sink.send(&prepared).await, Outcome::DELIVERED);
    }
    let received = endpoint.until_received(2).await;
    assert_eq!(
        received[0].head,
        format!(
            "PaTcH /a%2Fb?x=1&x=2+3& HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
             Content-Length: 3145728\r\nAccept: */*\r\nX-Tenant: grün\r\nContent-Encoding: gzip\r\nx-empty: \r\n\r\n"
        )
    );
    assert!(
        received[0].body == body,
        "the body is exactly the bytes that were given"
    );
    assert!(received[0] == received[1], "a repetition has the same bytes");
}

#[tokio::test]
async fn without_a_body_nothing_says_how_long_it_is() {
    let endpoint = HttpEndpoint::start(|_, _| Reply::status(204)).await;
    let mut sink = to_port(endpoint.port()).await;
    for method in ["GET", "DELETE", "POST"] {
        assert_eq!(sink.send(&request(method, "/")).await, Outcome::DELIVERED);
    }
    for received in endpoint.until_received(3).await {
        assert!(received.values("Content-Length").is_empty(), "{}", received.head);
        assert!(
            received.values("Transfer-Encoding").is_empty(),
            "{}",
            received.head
        );
        assert!(received.body.is_empty());
    }
}
