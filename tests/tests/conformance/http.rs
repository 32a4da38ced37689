//! The suite on an HTTP endpoint of the tests' own, over real sockets.

use std::collections::BTreeSet;

use bytes::Bytes;
use nervix_tests::conformance;
use nervix_tests::conformance::{Arrival, Destination};
use nervix_tests::http_endpoint::{HttpEndpoint, Received, Reply};
use nspl_model::SinkKind;

/// A note whose request is refused with 422.
const REFUSED: &str = "a note that is refused";

struct Http {
    endpoint: HttpEndpoint,
    provisioned: std::sync::Mutex<BTreeSet<String>>,
}

fn is_refused(request: &Received) -> bool {
    request.values("X-Note") == [REFUSED]
}

impl Destination for Http {
    const KIND: SinkKind = SinkKind::Http;

    async fn start() -> Self {
        let endpoint =
            HttpEndpoint::start(|_, request| Reply::status(if is_refused(request) { 422 } else { 200 }));
        Self {
            endpoint: endpoint.await,
            provisioned: std::sync::Mutex::default(),
        }
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.endpoint.port())
    }

    fn client(&self, address: &str) -> String {
        format!("TYPE HTTP CONFIG {{ 'endpoint' = 'http://{address}', 'timeout_ms' = 2000 }}")
    }

    fn sink(&self, target: &str, _ack_timeout: &str) -> String {
        format!(
            "HTTP c METHOD 'POST' PATH '/{target}' MODE ACK RETRY POLICY BACKOFF 100ms MAX 1s
               ENCODE USING event_json INHERIT ALL INVOKE write_header('X-Note', input.note)"
        )
    }

    async fn provision(&self, target: &str) {
        let mut provisioned = self.provisioned.lock().expect("a set");
        provisioned.insert(target.to_owned());
    }

    async fn arrived(&self, target: &str) -> Vec<Arrival> {
        let received = self.endpoint.received().await;
        let taken = received
            .into_iter()
            .filter(|request| request.target() == format!("/{target}") && !is_refused(request));
        taken
            .map(|request| {
                let body: serde_json::Value = serde_json::from_slice(&request.body).expect("JSON");
                Arrival {
                    ids: vec![body["id"].as_i64().expect("an id")],
                    bytes: Bytes::from([request.head.as_bytes(), &request.body].concat()),
                }
            })
            .collect()
    }

    async fn inventory(&self) -> BTreeSet<String> {
        let received = self.endpoint.received().await;
        let targets = received
            .iter()
            .map(|request| request.target().trim_start_matches('/').to_owned());
        let mut inventory = self.provisioned.lock().expect("a set").clone();
        inventory.extend(targets);
        inventory
    }

    fn refused_note(&self) -> Option<String> {
        Some(REFUSED.to_owned())
    }

    async fn kill(&mut self) {
        self.endpoint.kill().await;
    }

    async fn start_again(&mut self) {
        self.endpoint.start_again().await;
    }
}

conformance!(Http, [confirming, refusing]);
