//! Scripts as a whole: what is reported together, transactions, changes, definitions.

mod changes;
mod clients;
mod codecs;
mod consequences;
mod definitions;
mod direct;
mod faults;
mod ingestors;
mod mutations;
mod otel;
mod places;
mod resources;
mod sink_changes;
mod sinks;
mod specification;
mod transactions;

use crate::{Action, Catalog, Checked, Settings, Transaction, check_script};

/// MODE, BATCH and what follows, for emitters of which it does not matter.
const MODE: &str = "MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s";
const TAIL: &str = "BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH EACH 1s MAX BATCH SIZE 1MiB";
const LOG: &str = "ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";

const WORLD: &str = "
CREATE DOMAIN d; USE d; BEGIN;
CREATE SCHEMA event (id I64, origin STRING, note STRING OPTIONAL, secret STRING OPTIONAL SENSITIVE);
CREATE SCHEMA failure (reason STRING, id I64 OPTIONAL);
CREATE SCHEMA key (origin STRING);
CREATE BRANCH by_origin SCHEMA key TTL 1h;
CREATE RELAY events SCHEMA event UNBRANCHED;
CREATE RELAY branched SCHEMA event BRANCHED BY by_origin;
CREATE RELAY failures SCHEMA failure UNBRANCHED;
CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE
  ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
CREATE EMITTER outbox FROM events WHERE id > 0 TO CLIENT SCHEMA event
  MODE ACK PARALLEL MAX 4 ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s
  INHERIT ALL EXCEPT secret BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH EACH 100ms MAX BATCH SIZE 1MiB
  ON MESSAGE ERROR SEND TO failures SET reason = error.message, id = input.id ON GENERAL ERROR LOG;
COMMIT;";

fn check_in(text: &str, settings: &Settings, catalog: &Catalog) -> Checked {
    check_script(&nspl_syntax::parse(text), text, settings, catalog)
}

fn check(text: &str, catalog: &Catalog) -> Checked {
    check_in(text, &Settings::in_domain(Some("d")), catalog)
}

fn world() -> Catalog {
    accepted(WORLD, &Catalog::default())
}

/// The catalog after a script without any diagnostic.
fn accepted(text: &str, catalog: &Catalog) -> Catalog {
    let checked = check(text, catalog);
    assert_eq!(checked.diagnostics, [], "{text}");
    checked.plan.catalog
}

fn codes(checked: &Checked) -> Vec<&'static str> {
    checked
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

/// The commits of a script without errors.
fn transactions(text: &str, catalog: &Catalog) -> Vec<Transaction> {
    let checked = check(text, catalog);
    assert!(
        checked
            .diagnostics
            .iter()
            .all(|found| found.severity == crate::Severity::Warning),
        "{checked:#?}"
    );
    let steps = checked.plan.steps.into_iter();
    steps
        .filter_map(|step| {
            if let Action::Commit(commit) = step.action {
                Some(*commit)
            } else {
                None
            }
        })
        .collect()
}
