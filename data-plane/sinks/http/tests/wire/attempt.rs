//! One attempt through an opened sink, and what was said about it.

use std::sync::Arc;

use nervix_clock::PhysicalClock;
use nervix_net::{Dialler, Resolver};
use nervix_sink::{Failure, Headers, OpenError, Outcome, PreparedRequest, RequestSink};
use nervix_sink_http::open_through;
use nspl_model::{ClientDef, ClientKind, ConfigValue};

/// A TYPE HTTP client with these settings beside its endpoint and its timeout.
pub(crate) fn client(endpoint: &str, timeout_ms: u64, files: &[(&str, &std::path::Path)]) -> Arc<ClientDef> {
    let mut config = vec![
        ("endpoint".to_owned(), ConfigValue::Text(endpoint.to_owned())),
        (
            "timeout_ms".to_owned(),
            ConfigValue::Number(timeout_ms.to_string()),
        ),
    ];
    for (key, path) in files {
        let path = path.to_string_lossy().into_owned();
        config.push(((*key).to_owned(), ConfigValue::Text(path)));
    }
    Arc::new(ClientDef {
        name: "api".to_owned(),
        kind: ClientKind::Http,
        pool: None,
        mount: None,
        config,
    })
}

/// Opens the sink of `client` with the system's names and clock.
pub(crate) async fn open(client: &ClientDef) -> Result<Box<dyn RequestSink>, OpenError> {
    let dialler = Dialler::new(Resolver::system(), PhysicalClock::system());
    open_through(client, dialler).await
}

/// A sink of an http endpoint on this port, with a generous timeout.
pub(crate) async fn to_port(port: u16) -> Box<dyn RequestSink> {
    let client = client(&format!("http://127.0.0.1:{port}"), 20_000, &[]);
    open(&client).await.expect("a sink")
}

/// A sink of an http endpoint on this port, with little patience.
pub(crate) async fn hasty_to_port(port: u16) -> Box<dyn RequestSink> {
    let client = client(&format!("http://127.0.0.1:{port}"), 300, &[]);
    open(&client).await.expect("a sink")
}

pub(crate) fn request(method: &str, target: &str) -> PreparedRequest {
    PreparedRequest {
        method: method.into(),
        target: target.into(),
        headers: Headers::default(),
        body: None,
    }
}

/// The failure of an outcome that is not resolved.
pub(crate) fn failure(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Unresolved(failure) => failure,
        other => panic!("resolved: {other:?}"),
    }
}
