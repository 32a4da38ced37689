//! HTTP emitters against a real endpoint: what it receives, what it may answer, and what is said of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nervix_proto::client::v1::answer::Status;
use nervix_tests::authority::Authority;
use nervix_tests::error_records::{ErrorRecord, SEND_TO, error_records};
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};
use nervix_tests::ports::free_port;
use nervix_tests::wait::must;

use crate::graph::describe;
use crate::http_graph::{Call, HttpGraph, calls, post, writer};
use crate::outside::{delivered, finish, line, trouble, until_well, write};

async fn ok() -> HttpEndpoint {
    HttpEndpoint::start(|_, _| Reply::status(200)).await
}

/// The targets that came, in order.
async fn targets(endpoint: &HttpEndpoint) -> Vec<String> {
    let received = endpoint.received().await;
    received
        .iter()
        .map(|request| request.target().to_owned())
        .collect()
}

/// Error records by the ids of their records.
fn told_of(records: &[ErrorRecord]) -> Vec<(i64, String)> {
    records.iter().map(|record| (record.id, record.told())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_record_is_one_request_as_it_says() {
    let endpoint = ok().await;
    let graph = HttpGraph {
        // That is for polling.
        client: ", 'method' = 'GET'".to_owned(),
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let batch = calls(&[
        post("/orders/1?x=a%2Fb&x=1+2"),
        Call {
            method: "pAtCh",
            path: "/a/./b/../c?",
            tenant: "grün & co",
        },
        Call {
            method: "DELETE",
            path: "/",
            tenant: "",
        },
    ]);
    assert_eq!(write(&server, batch).await, [Status::Done]);
    let received = endpoint.until_received(3).await;
    let host = format!("127.0.0.1:{}", endpoint.port());
    assert_eq!(
        received[0].head,
        format!(
            "POST /orders/1?x=a%2Fb&x=1+2 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 39\r\n\
             Accept: */*\r\nContent-Type: application/json\r\nX-Tenant: acme\r\n\r\n"
        )
    );
    assert_eq!(received[0].body, br#"{"event_id":"e1","payload":"payload 1"}"#);
    assert_eq!((received[1].method(), received[1].target()), ("pAtCh", "/a/c?"));
    assert_eq!(received[1].values("X-Tenant"), ["grün & co"]);
    assert_eq!(received[2].values("X-Tenant"), [""]);
    assert_eq!(received.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn describe_shows_the_request_contract_and_no_header() {
    let endpoint = ok().await;
    let graph = HttpGraph {
        retry: "BACKOFF 250ms MAX 30s",
        flush: "FLUSH EACH 100ms MAX BATCH SIZE 1MiB",
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let lines = describe(&server);
    let expected = [
        ("codec", "event_body_codec"),
        ("body", "codec"),
        (
            "sink",
            "HTTP client=api method=input.request_method path=input.request_path",
        ),
        ("batch", "none"),
        ("flush", "FLUSH EACH 100ms MAX BATCH SIZE 1MiB"),
        ("publishing mode", "ACK RETRY POLICY BACKOFF 250ms MAX 30s"),
    ];
    let at = lines
        .iter()
        .position(|(key, _)| key == "codec")
        .expect("a codec line");
    let shown: Vec<(&str, &str)> = lines[at..at + expected.len()]
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    assert_eq!(shown, expected);
    assert_eq!(line(&server, "transient error").as_deref(), Some("none"));
    assert!(!lines.iter().any(|(_, value)| value.contains("X-Tenant")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_fails_is_repeated_byte_for_byte_before_anything_behind_it() {
    let third = AtomicUsize::new(0);
    let endpoint = HttpEndpoint::start(move |_, request| {
        let fails = request.target() == "/3" && third.fetch_add(1, Ordering::SeqCst) < 2;
        Reply::status(if fails { 500 } else { 201 })
    })
    .await;
    let graph = HttpGraph {
        // What is volatile is evaluated once.
        invoke: "INVOKE write_header('Idempotency-Key', uuid_v4())",
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let batch = calls(&[post("/1"), post("/2"), post("/3"), post("/4")]);
    assert_eq!(write(&server, batch).await, [Status::Done]);
    assert_eq!(targets(&endpoint).await, ["/1", "/2", "/3", "/3", "/3", "/4"]);
    let received = endpoint.received().await;
    assert!(
        received[2] == received[3] && received[3] == received[4],
        "{received:?}"
    );
    assert_ne!(
        received[1].values("Idempotency-Key"),
        received[2].values("Idempotency-Key")
    );
    assert_eq!(
        delivered(&server, "nervix_messages_total").await,
        4.0,
        "records are counted once, however many attempts they took"
    );
    assert_eq!(
        server.metric_of("nervix_emitter_retries_total", "outbox").await,
        2.0
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_403_for_a_while_keeps_the_record_and_is_told_until_it_is_over() {
    let forbidden = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let closed = Arc::clone(&forbidden);
    let endpoint =
        HttpEndpoint::start(move |_, _| Reply::status(if closed.load(Ordering::SeqCst) { 403 } else { 200 }))
            .await;
    let graph = HttpGraph {
        // It has no say over a response.
        general: "IGNORE",
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(calls(&[post("/1"), post("/2")])).await);
    endpoint.until_received(3).await;
    let told = "HTTP endpoint answered with authentication or authorization status 403";
    assert_eq!(line(&server, "transient error").as_deref(), Some(told));
    assert!(line(&server, "reconnect backoff").is_some() && line(&server, "reconnect wait").is_some());
    forbidden.store(false, Ordering::SeqCst);
    assert_eq!(finish(put).await, [Status::Done]);
    until_well(&server).await;
    let targets = targets(&endpoint).await;
    assert_eq!(targets.last().map(String::as_str), Some("/2"));
    assert_eq!(targets.iter().filter(|target| *target == "/2").count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_429_is_waited_out_as_it_asks_in_every_form_and_not_where_it_asks_nothing() {
    // Asked for when it answers: a date without fractions is at least a second away.
    let date = |form: &str| {
        let output = std::process::Command::new("date")
            .env("LC_ALL", "C")
            .args(["-u", "-d", "now + 2 seconds", form])
            .output();
        let output = must("run date", output);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let dated = |form: &str| format!("Retry-After: {form}\r\n");
    let forms = [
        ("1", "Retry-After: 1\r\n".to_owned(), 1_000),
        ("imf", dated("+%a, %d %b %Y %H:%M:%S GMT"), 1_000),
        ("rfc850", dated("+%A, %d-%b-%y %H:%M:%S GMT"), 1_000),
        ("asctime", dated("+%a %b %e %H:%M:%S %Y"), 1_000),
        (
            "past",
            "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n".to_owned(),
            0,
        ),
        ("twice", "Retry-After: 60\r\nRetry-After: 60\r\n".to_owned(), 0),
        ("fraction", "Retry-After: 60.5\r\n".to_owned(), 0),
        (
            "9999",
            "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n".to_owned(),
            0,
        ),
        ("none", String::new(), 0),
    ];
    let seen: Arc<Mutex<Vec<(String, Instant)>>> = Arc::default();
    let (log, answers) = (Arc::clone(&seen), forms.clone());
    let endpoint = HttpEndpoint::start(move |_, request| {
        let target = request.target().trim_start_matches('/').to_owned();
        let mut log = log.lock().expect("a log");
        let is_first = !log.iter().any(|(known, _)| *known == target);
        log.push((target.clone(), Instant::now()));
        let asked = answers.iter().find(|(name, ..)| *name == target);
        match asked.filter(|_| is_first) {
            Some((_, fields, _)) => match fields.split_once('+') {
                Some((name, form)) => {
                    let date = date(&format!("+{}", form.trim_end()));
                    Reply::with_fields(429, &format!("{name}{date}\r\n"))
                }
                None => Reply::with_fields(429, fields),
            },
            None => Reply::status(200),
        }
    })
    .await;
    let server = HttpGraph::to(&endpoint).serve().await;
    let paths: Vec<String> = forms.iter().map(|(name, ..)| format!("/{name}")).collect();
    let batch: Vec<Call<'_>> = paths.iter().map(|path| post(path)).collect();
    let answers = write(&server, calls(&batch)).await;
    assert_eq!(answers, [Status::Done]);
    let seen = seen.lock().expect("a log").clone();
    for (name, _, least) in forms {
        let times: Vec<Instant> = seen
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, at)| *at)
            .collect();
        assert_eq!(times.len(), 2, "{name}: {seen:?}");
        let waited = times[1] - times[0];
        assert!(waited >= Duration::from_millis(least), "{name} waited {waited:?}");
        assert!(waited < Duration::from_secs(30), "{name} waited {waited:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_request_takes_its_own_record_alone() {
    let endpoint = HttpEndpoint::start(|_, request| {
        Reply::status(match request.target() {
            "/gone" => 410,
            "/moved" => 301,
            "/conflict" => 409,
            _ => 200,
        })
    })
    .await;
    let graph = HttpGraph {
        error: SEND_TO,
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    let batch = calls(&[
        post("/gone"),
        post("/a"),
        post("/moved"),
        post("/conflict"),
        post("/b"),
    ]);
    must("write", put.write(batch).await);
    let failed = told_of(&error_records(&server, 3).await);
    let message = |status: u16| format!("external publish | HTTP endpoint answered with status {status}");
    assert_eq!(failed, [(1, message(410)), (3, message(301)), (4, message(409))]);
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(
        targets(&endpoint).await,
        ["/gone", "/a", "/moved", "/conflict", "/b"]
    );
    assert_eq!(
        delivered(&server, "nervix_messages_total").await,
        2.0,
        "what is refused is not counted"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_of_a_request_that_is_none_rejects_its_record_before_anything_is_sent() {
    let endpoint = ok().await;
    let graph = HttpGraph {
        error: SEND_TO,
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    let with = |method, tenant| Call {
        method,
        path: "/fields",
        tenant,
    };
    let batch = calls(&[
        post("//evil.example/x"),
        post("/../x"),
        post("/%2e%2e/y"),
        post("/.//evil.example"),
        post("/#fragment"),
        post("https://evil.example/"),
        with("GET", "acme"),
        with("CONNECT", "acme"),
        with("BAD METHOD", "acme"),
        with("POST", "split\r\nX-Evil: 1"),
        // The first that fails is told: the method, then the path.
        Call {
            path: "//evil.example/x",
            ..with("BAD METHOD", "split\r\n")
        },
        Call {
            path: "//evil.example/x",
            ..with("POST", "split\r\n")
        },
        with("PUT", "acme"),
    ]);
    must("write", put.write(batch).await);
    let failed = told_of(&error_records(&server, 10).await);
    let path = "validation publish path,request_path | ";
    let method = "validation publish method,request_method | ";
    let no_token = format!("{method}a method is a token of ASCII letters, digits and !#$%&'*+-.^_`|~");
    let expected = [
        (1, format!("{path}a path begins with exactly one '/'")),
        (
            4,
            format!("{path}its normal form leaves the origin, or begins with '//'"),
        ),
        (
            5,
            format!("{path}a path holds no fragment, backslash, blank or control character"),
        ),
        (6, format!("{path}a path begins with exactly one '/'")),
        (7, format!("{method}GET and HEAD carry no body")),
        (8, format!("{method}CONNECT and TRACE are unavailable")),
        (9, no_token.clone()),
        (
            10,
            "validation invoke 1 tenant | a header's value holds no control characters".to_owned(),
        ),
        (11, no_token),
        (12, format!("{path}a path begins with exactly one '/'")),
    ];
    assert_eq!(failed, expected);
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(targets(&endpoint).await, ["/x", "/y", "/fields"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_never_answers_is_told_and_later_records_wait_behind() {
    let endpoint = HttpEndpoint::start(|nth, _| match nth {
        0 | 1 => Reply::Hold(Vec::new()),
        _ => Reply::status(200),
    })
    .await;
    let graph = HttpGraph {
        timeout_ms: 300,
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(calls(&[post("/1"), post("/2")])).await);
    trouble(
        &server,
        "HTTP request timed out before complete final response headers",
    )
    .await;
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(targets(&endpoint).await, ["/1", "/1", "/1", "/2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_is_not_there_yet_is_awaited() {
    let graph = HttpGraph::to_url(format!("http://localhost:{}", free_port()));
    let server = graph.serve().await;
    let mut put = writer(&server).await;
    must("write", put.write(calls(&[post("/1")])).await);
    let told = trouble(&server, "").await;
    assert!(
        told.starts_with("HTTP connection failed: connecting to localhost:"),
        "{told}"
    );
    assert!(told.ends_with("the connection was refused"), "{told}");
    assert_eq!(line(&server, "state").as_deref(), Some("unavailable"));
    server.exec("USE d; STOP;");
    let answer = must("an answer", put.answer().await).expect("open positions are answered first");
    assert_eq!((answer.first, answer.status()), (0, Status::Unresolved));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_body_a_request_is_its_head_alone() {
    let endpoint = HttpEndpoint::start(|_, _| Reply::status(204)).await;
    let graph = HttpGraph {
        method: "'DELETE'",
        body: "WITHOUT BODY",
        construction: "WHERE input.tenant != 'skipped'",
        invoke: "INVOKE write_header('Idempotency-Key', input.event_id)",
        ..HttpGraph::to(&endpoint)
    };
    let server = graph.serve().await;
    let skipped = Call {
        tenant: "skipped",
        // A record that WHERE filters evaluates no field of a request.
        path: "//none",
        ..post("")
    };
    let batch = calls(&[post("/1"), skipped, post("/3")]);
    assert_eq!(write(&server, batch).await, [Status::Done]);
    let received = endpoint.until_received(2).await;
    for (request, id) in received.iter().zip(["1", "3"]) {
        let expected = format!(
            "DELETE /{id} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nAccept: */*\r\n\
             Idempotency-Key: e{id}\r\n\r\n",
            endpoint.port()
        );
        assert_eq!(
            (request.head.as_str(), request.body.len()),
            (expected.as_str(), 0)
        );
    }
    assert_eq!(received.len(), 2);
    assert_eq!(line(&server, "body").as_deref(), Some("without body"));
    assert_eq!(line(&server, "codec").as_deref(), Some("none"));
    assert_eq!(delivered(&server, "nervix_messages_total").await, 2.0);
    assert_eq!(delivered(&server, "nervix_bytes_total").await, 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_files_are_read_again_and_the_cause_of_a_refusal_is_told() {
    let folder = must("a folder", tempfile::tempdir());
    let (authority, other) = (Authority::new(), Authority::new());
    let ca = folder.path().join("ca.pem");
    must("write a file", std::fs::write(&ca, other.pem()));
    let config = Authority::server(&authority.issue(&["localhost"]), None);
    let endpoint = HttpEndpoint::start_tls(config, |_, _| Reply::status(200)).await;
    let graph = HttpGraph {
        client: format!(", 'tls_ca_file' = '{}'", ca.display()),
        ..HttpGraph::to_url(format!("https://localhost:{}", endpoint.port()))
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(calls(&[post("/1")])).await);
    trouble(
        &server,
        "HTTP TLS handshake failed: invalid peer certificate: UnknownIssuer",
    )
    .await;
    must("write a file", std::fs::write(&ca, authority.pem()));
    assert_eq!(finish(put).await, [Status::Done]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_request_says_appears_in_no_output() {
    const TOKEN: &str = "s3cr3t-token";
    let endpoint = HttpEndpoint::start(|nth, request| match (nth, request.target().contains("refused")) {
        (0, _) => Reply::with_fields(503, "X-Echo: s3cr3t-token\r\n"),
        (_, true) => Reply::Close(b"HTTP/1.1 404 s3cr3t-token\r\n\r\ns3cr3t-token".to_vec()),
        _ => Reply::status(200),
    })
    .await;
    let graph = HttpGraph {
        timeout_ms: 300,
        error: SEND_TO,
        ..HttpGraph::to(&endpoint)
    };
    let mut server = graph.serve().await;
    let put = writer(&server).await;
    let secret = format!("/{TOKEN}/refused");
    let bad = format!("//{TOKEN}");
    let header = format!("{TOKEN}\n");
    let batch = calls(&[
        post(&secret),
        post(&bad),
        Call {
            tenant: &header,
            ..post("/header")
        },
        post("/sent"),
    ]);
    must("write", put.write(batch).await);
    let failed = error_records(&server, 3).await;
    let described =
        server.exec("USE d; DESCRIBE EMITTER outbox; SHOW CREATE EMITTER outbox; DESCRIBE CLIENT api;");
    let (_, metrics) = server.page("/metrics").await;
    must("finish", put.finish().await);
    assert!(server.process().terminate().await.success());
    let printed = server.process().printed();
    for (place, text) in [
        ("DESCRIBE and SHOW CREATE", described),
        ("the metrics", metrics),
        ("error records", format!("{failed:?}")),
        ("the log", printed),
    ] {
        assert!(!text.contains(TOKEN), "{place} show a value of a record:\n{text}");
    }
}
