//! Completion as an editor asks for it: what is proposed at some places, and that every place gives an answer soon.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

use nspl::{CANDIDATES_MAX, COMPLETION_TEXT_BYTES_MAX, Catalog, Completion, Known};

use crate::case::{CORPUS, world};
use crate::golden::{Golden, files, read};

/// Candidates of a place that are shown; the rest is counted.
const SHOWN_MAX: usize = 9;

/// Where `|` stands the cursor is. They are asked in the domain `shop` of world.nspl.
const PLACES: &[&str] = &[
    "|",
    "cre|",
    "CREATE |",
    "CREATE RELAY |",
    "CREATE RELAY r SCHEMA pa|",
    "CREATE RELAY r SCHEMA par|cel UNBRANCHED",
    "CREATE RELAY r SCHEMA parcel BRANCHED BY |",
    "USE |",
    "DROP EMITTER |",
    "DROP WIRE JSON SCHEMA |",
    "SHOW CREATE BRANCH |",
    "DESCRIBE |",
    "DRAIN NODE |",
    "CORDON NODE \"n|",
    "ALTER CLIENT na|",
    "ALTER CLIENT nats SET CONFIG {'|",
    "ALTER SCHEMA parcel DROP FIELD t|",
    "CREATE SCHEMA s (id |",
    "CREATE WIRE AVRO SCHEMA w MODE STRICT (id |",
    "CREATE BRANCH b SCHEMA region TTL 90|",
    "CREATE BRANCH b SCHEMA region TTL 90m|",
    "CREATE CLIENT c TYPE |",
    "CREATE CLIENT c TYPE SYSLOG CONFIG {|",
    "CREATE CLIENT c TYPE SYSLOG CONFIG {'addr' = 'h:1', \"pro|\" = 'udp'}",
    "CREATE CLIENT c TYPE SYSLOG CONFIG {'addr' = 'h:1', 'protocol' = |",
    "CREATE CLIENT c TYPE KAFKA CONFIG {'bootstrap.servers' = 'h:1', 'sasl.pa|",
    "CREATE CODEC c FROM WIRE JSON SCHEMA |",
    "CREATE CODEC c FROM WIRE JSON SCHEMA parcel_wire TO SCHEMA parcel ENCODE |",
    "CREATE CODEC c FROM PROTOBUF USING RESOURCE descriptors CONFIG {|",
    "CREATE EMITTER e FROM re|",
    "CREATE EMITTER e FROM orders, re|",
    "CREATE EMITTER e FROM orders WHERE a|",
    "CREATE EMITTER e FROM orders WHERE input.s|",
    "CREATE EMITTER e FROM orders WHERE amount > 3 AND up|",
    "CREATE EMITTER e FROM orders WHERE amount |",
    "CREATE EMITTER e FROM orders USING MATERIALIZED STATE |",
    "CREATE EMITTER e FROM orders USING MATERIALIZED STATE settings DEFAULT {'|",
    "CREATE EMITTER e FROM orders TO |",
    "CREATE EMITTER e FROM orders TO CLIENT SCHEMA |",
    "CREATE EMITTER e FROM orders TO KAFKA |",
    "CREATE EMITTER e FROM orders TO ICEBERG ON S3 |",
    "CREATE EMITTER e FROM orders TO POSTGRES postgres INSERT TO TABLE t VALUES {'|",
    "CREATE EMITTER e FROM orders TO POSTGRES postgres INSERT TO TABLE t VALUES {'id' = t|",
    "CREATE EMITTER e FROM orders TO POSTGRES postgres INSERT TO TABLE t VALUES {'key' = id, 'n' = amount} ON CONFLICT (|",
    "CREATE EMITTER e FROM orders TO OTEL otel LOGS VALUES {'|",
    "CREATE EMITTER e FROM orders TO OTEL otel TRACES VALUES {'trace_id' = id, 'kind' = |",
    "CREATE EMITTER e FROM orders TO OTEL otel METRIC 'm' UNIT '1' SUM MONOTONIC DELTA VALUES {'time' = now(), |",
    "CREATE EMITTER e FROM orders TO OTEL otel LOGS VALUES {'time' = now(), 'body' = id} ATTRIBUTES {'|",
    "CREATE EMITTER e FROM orders TO CLIENT SCHEMA parcel MODE ACK |",
    "CREATE EMITTER e FROM orders TO CLIENT SCHEMA parcel MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
     RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id, a|",
    "CREATE EMITTER e FROM orders TO CLIENT SCHEMA parcel MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
     RETRY POLICY BACKOFF 250ms MAX 30s SET id = upper(id), t|",
    "CREATE EMITTER e FROM orders TO CLIENT SCHEMA parcel MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
     RETRY POLICY BACKOFF 250ms MAX 30s SET id = upper(id), amount = output.|",
    "CREATE EMITTER e FROM orders USING MATERIALIZED STATE settings REQUIRED SKIP TO CLIENT SCHEMA parcel MODE ACK \
     SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s SET id = re|",
    "CREATE EMITTER e FROM orders USING MATERIALIZED STATE settings REQUIRED SKIP TO CLIENT SCHEMA parcel MODE ACK \
     SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s SET amount = relay_state.settings.|",
    "CREATE EMITTER e FROM orders TO CLIENT SCHEMA parcel MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
     RETRY POLICY BACKOFF 250ms MAX 30s INHERIT ALL BATCH MAX MESSAGES 10 MAX SIZE 1|",
    "CREATE EMITTER e FROM orders TO CLIENT SCHEMA parcel MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
     RETRY POLICY BACKOFF 250ms MAX 30s INHERIT ALL BATCH MAX MESSAGES 10 MAX SIZE 1MiB FLUSH IMMEDIATE \
     ON MESSAGE ERROR SEND TO failures SET |",
    "CREATE EMITTER e FROM orders TO CLIENT SCHEMA parcel MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
     RETRY POLICY BACKOFF 250ms MAX 30s INHERIT ALL BATCH MAX MESSAGES 10 MAX SIZE 1MiB FLUSH IMMEDIATE \
     ON MESSAGE ERROR SEND TO failures SET reason = error.|",
    "CREATE INGESTOR i FROM CLIENT SCHEMA order_event MODE ACK TO regional INHERIT ALL BRANCHED BY by_region SET |",
    "CREATE INGESTOR i FROM CLIENT SCHEMA order_event MODE ACK TO parcels SET id = input.|",
    "ALTER EMITTER outbox ALTER FROM orders SET WHERE price|",
    "BEGIN; CREATE SCHEMA mine (alpha I64, beta STRING OPTIONAL); CREATE RELAY myne SCHEMA m|",
    "BEGIN; CREATE SCHEMA mine (alpha I64, beta STRING OPTIONAL); CREATE RELAY myne SCHEMA mine UNBRANCHED; \
     CREATE EMITTER e FROM myne WHERE |",
    "CREATE EMITTER e FRM orders WHERE x = 1 TO CLIENT SCHEMA |",
    "CREATE RELAY broken SCHEMA\nCREATE RELAY r SCHEMA parcel |",
    "CREATE DOMAIN mine; USE mine; CREATE SCHEMA own (x I8); CREATE RELAY r SCHEMA |",
    "-- a comment |",
    "SHOW RELAYS; /* another | */",
];

/// The nodes of the cluster.
static NODES: LazyLock<Vec<String>> =
    LazyLock::new(|| vec!["worker_a".to_owned(), "node-1.example".to_owned()]);

/// Completes in the domain `shop` of world.nspl.
fn complete(text: &str, cursor: usize) -> Completion {
    complete_in(text, cursor, world(), Some("shop"))
}

fn complete_in(text: &str, cursor: usize, catalog: &Catalog, domain: Option<&str>) -> Completion {
    let known = Known {
        catalog,
        domain,
        nodes: &NODES,
    };
    nspl::complete(text, cursor, &known)
}

fn asked(place: &str) -> Completion {
    let (before, after) = place.split_once('|').unwrap();
    complete(&format!("{before}{after}"), before.len())
}

#[test]
fn places_are_completed_as_committed() {
    let mut text = String::new();
    for place in PLACES {
        let completion = asked(place);
        writeln!(text, "{place}").unwrap();
        for found in completion.candidates.iter().take(SHOWN_MAX) {
            let detail = Some(found.detail.as_str()).filter(|detail| !detail.is_empty());
            let detail = detail.map_or(String::new(), |detail| format!(": {detail}"));
            let span = &found.span;
            writeln!(
                text,
                "  {}..{} {} ({}){detail}",
                span.start,
                span.end,
                found.text,
                found.kind.word()
            )
            .unwrap();
        }
        if completion.candidates.len() > SHOWN_MAX {
            writeln!(text, "  and {} more", completion.candidates.len() - SHOWN_MAX).unwrap();
        }
        text.push('\n');
    }
    let folder = format!("{CORPUS}/completion");
    let mut golden = Golden::default();
    golden.file(&format!("{folder}/places.txt"), &text);
    golden.finish(&folder, "txt");
}

#[test]
fn without_a_catalog_and_a_domain_the_text_alone_is_completed() {
    let text = "BEGIN; CREATE SCHEMA s (alpha I64); CREATE RELAY r SCHEMA s UNBRANCHED; CREATE EMITTER e FROM r WHERE al";
    let completion = complete_in(text, text.len(), &Catalog::default(), Some("unknown"));
    assert_eq!(completion.candidates[0].text, "alpha");
    let domains = complete_in("USE ", 4, &Catalog::default(), None);
    assert_eq!(domains.candidates, []);
}

#[test]
fn more_than_the_bound_is_said_to_exist() {
    let fields: Vec<String> = (0..CANDIDATES_MAX + 20)
        .map(|at| format!("field_{at} I64"))
        .collect();
    let text = format!(
        "CREATE SCHEMA wide ({}); CREATE RELAY r SCHEMA wide UNBRANCHED; CREATE EMITTER e FROM r WHERE field_",
        fields.join(", ")
    );
    let completion = complete(&text, text.len());
    assert_eq!(
        (completion.candidates.len(), completion.more),
        (CANDIDATES_MAX, true)
    );
}

#[test]
fn a_long_text_is_read_from_a_statement_near_the_cursor() {
    let statement = "CREATE SCHEMA far (x I8);\n";
    let many = COMPLETION_TEXT_BYTES_MAX / statement.len() + 100;
    let text = statement.repeat(many) + "CREATE SCHEMA near (x I8);\nCREATE RELAY r SCHEMA ne";
    let completion = complete(&text, text.len());
    assert_eq!(completion.candidates[0].text, "near");
    assert_eq!(completion.candidates[0].span, text.len() - 2..text.len());
}

/// Completes `text` at a byte and holds what every answer holds.
fn hold(path: &str, text: &str, cursor: usize) {
    let completion = complete(text, cursor);
    assert!(completion.candidates.len() <= CANDIDATES_MAX);
    for found in &completion.candidates {
        let replaced = text.get(found.span.clone());
        assert!(
            replaced.is_some() && found.span.start <= cursor,
            "{path}: {found:?} in {text}"
        );
    }
}

/// The statements of a script, roughly: what stands before is the same for all places of one.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(';')
}

#[test]
fn every_byte_of_the_examples_of_the_specification_is_a_place() {
    let path = "nspl/syntax/tests/corpus/emitters.nspl";
    let text = read(path);
    let mut asked = BTreeSet::new();
    for statement in statements(&text) {
        for cursor in 0..=statement.len() {
            // Statements that begin alike ask the same.
            if asked.insert(statement.as_bytes()[..cursor].to_vec()) {
                hold(path, statement, cursor);
            }
        }
    }
    assert!(asked.len() > 5_000, "only {} places", asked.len());
}

#[test]
fn places_all_over_the_corpus_are_completed_with_all_that_stands_before() {
    let mut asked = 0;
    let folders = [CORPUS, "nspl/syntax/tests/corpus"];
    for path in folders.iter().flat_map(|folder| files(folder, "nspl")) {
        let text = read(&path);
        // A prime, so that it falls into every sort of place.
        for cursor in (0..=text.len()).step_by(397) {
            hold(&path, &text, cursor);
            asked += 1;
        }
    }
    assert!(asked > 200, "only {asked} places");
}
