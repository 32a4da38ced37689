//! The suite on a real Postgres: a table with a constraint, which a role writes that may make nothing.

use std::collections::BTreeSet;

use bytes::Bytes;
use nervix_tests::conformance;
use nervix_tests::conformance::{Arrival, Destination, SECRET};
use nervix_tests::postgres::{DATABASE, Postgres, USER};
use nspl_model::SinkKind;
use tempfile::TempDir;

/// A note that a constraint of the table refuses.
const REFUSED: &str = "planted-value-of-a-record:refused";

struct Table {
    server: Postgres,
    folder: TempDir,
}

/// What is given to clients of TLS.
const CA_FILE: &str = "ca.pem";

fn client(address: &str, parameters: &str, more: &str) -> String {
    format!(
        "TYPE POSTGRES POOL SIZE MIN 1 MAX 4 CONFIG {{
           'addr' = 'postgresql://{USER}:{SECRET}@{address}/{DATABASE}?connect_timeout=2&{parameters}' {more} }}"
    )
}

impl Destination for Table {
    const KIND: SinkKind = SinkKind::Postgres;

    async fn start() -> Self {
        let server = Postgres::start(SECRET).await;
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(CA_FILE), server.authority().pem()).expect("a file");
        Self { server, folder }
    }

    fn address(&self) -> String {
        self.server.address()
    }

    fn client(&self, address: &str) -> String {
        client(address, "sslmode=disable", "")
    }

    fn tls_address(&self) -> Option<String> {
        Some(self.server.address())
    }

    fn tls_client(&self, address: &str) -> String {
        let file = self.folder.path().join(CA_FILE);
        let trusted = format!(", 'tls_ca_file' = '{}'", file.display());
        client(address, "sslmode=verify-full", &trusted)
    }

    fn codecs(&self) -> String {
        String::new()
    }

    fn sink(&self, target: &str, mode: &str) -> String {
        format!(
            "POSTGRES c INSERT TO TABLE {target} VALUES {{ 'id' = input.id, 'note' = input.note }}
               MODE {mode}"
        )
    }

    fn batch(&self) -> &'static str {
        "BATCH MAX MESSAGES 500 MAX SIZE 1MiB"
    }

    async fn provision(&self, target: &str) {
        let columns = format!("place bigserial, id bigint, note text CHECK (note <> '{REFUSED}')");
        self.server.table(target, &columns).await;
    }

    async fn arrived(&self, target: &str) -> Vec<Arrival> {
        let rows = self
            .server
            .sql(&format!("SELECT id, note FROM {target} ORDER BY place"))
            .await;
        let arrival = |row: Vec<Option<String>>| {
            let fields: Vec<String> = row.into_iter().map(Option::unwrap_or_default).collect();
            Arrival {
                ids: vec![fields[0].parse().expect("an id")],
                bytes: Bytes::from(fields.join("\n")),
            }
        };
        rows.into_iter().map(arrival).collect()
    }

    async fn inventory(&self) -> BTreeSet<String> {
        let tables =
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";
        self.server.column(tables).await.into_iter().flatten().collect()
    }

    fn refused_note(&self) -> Option<String> {
        Some(REFUSED.to_owned())
    }

    async fn kill(&mut self) {
        self.server.kill();
    }

    async fn start_again(&mut self) {
        self.server.start_again().await;
    }
}

conformance!(Table {
    ack: [confirming, refusing, secured]
});
