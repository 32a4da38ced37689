//! The suite on an HTTP endpoint of the tests' own, over real sockets.

use std::collections::BTreeSet;

use bytes::Bytes;
use nervix_tests::authority::Authority;
use nervix_tests::conformance;
use nervix_tests::conformance::{Arrival, Destination};
use nervix_tests::http_endpoint::{HttpEndpoint, Received, Reply};
use nspl_model::SinkKind;
use tempfile::TempDir;

/// A note whose request is refused with 422.
const REFUSED: &str = "planted-value-of-a-record:refused";
/// What is given to clients of TLS.
const CA_FILE: &str = "ca.pem";

/// An endpoint in plain text and one behind TLS, which a target may have come to by either.
struct Http {
    endpoint: HttpEndpoint,
    secured: HttpEndpoint,
    folder: TempDir,
    provisioned: std::sync::Mutex<BTreeSet<String>>,
}

fn is_refused(request: &Received) -> bool {
    request.values("X-Note") == [REFUSED]
}

fn answer(request: &Received) -> Reply {
    Reply::status(if is_refused(request) { 422 } else { 200 })
}

fn client(origin: &str, more: &str) -> String {
    format!("TYPE HTTP CONFIG {{ 'endpoint' = '{origin}', 'timeout_ms' = 2000 {more} }}")
}

impl Http {
    async fn received(&self) -> Vec<Received> {
        let plain = self.endpoint.received().await;
        [plain, self.secured.received().await].concat()
    }
}

impl Destination for Http {
    const KIND: SinkKind = SinkKind::Http;

    async fn start() -> Self {
        let authority = Authority::new();
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(CA_FILE), authority.pem()).expect("a file");
        let shown = Authority::server(&authority.issue(&["localhost"]), None);
        Self {
            endpoint: HttpEndpoint::start(|_, request| answer(request)).await,
            secured: HttpEndpoint::start_tls(shown, |_, request| answer(request)).await,
            folder,
            provisioned: std::sync::Mutex::default(),
        }
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.endpoint.port())
    }

    fn client(&self, address: &str) -> String {
        client(&format!("http://{address}"), "")
    }

    fn tls_address(&self) -> Option<String> {
        Some(format!("127.0.0.1:{}", self.secured.port()))
    }

    fn tls_client(&self, address: &str) -> String {
        let file = self.folder.path().join(CA_FILE);
        let trusted = format!(", 'tls_ca_file' = '{}'", file.display());
        client(&format!("https://{address}"), &trusted)
    }

    fn sink(&self, target: &str, mode: &str) -> String {
        format!(
            "HTTP c METHOD 'POST' PATH '/{target}' MODE {mode}
               ENCODE USING event_json INHERIT ALL INVOKE write_header('X-Note', input.note)"
        )
    }

    async fn provision(&self, target: &str) {
        let mut provisioned = self.provisioned.lock().expect("a set");
        provisioned.insert(target.to_owned());
    }

    async fn arrived(&self, target: &str) -> Vec<Arrival> {
        let received = self.received().await;
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
        let received = self.received().await;
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

conformance!(Http {
    ack: [confirming, refusing, secured]
});
