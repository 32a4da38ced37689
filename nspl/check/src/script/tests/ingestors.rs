//! INGESTOR FROM KAFKA: accepted by `check`, and by `apply` where a worker has it.

use std::collections::BTreeSet;

use nspl_model::{Definition, EntityKey, EntityKind, IngestMode, SourceKind, Window};

use super::{accepted, check, check_in, codes, world};
use crate::{Catalog, Settings};

const PARTS: &str = "BEGIN; CREATE CLIENT k TYPE KAFKA CONFIG {'bootstrap.servers' = 'h:9092'};
CREATE CODEC c FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS ON INGESTION '.'; COMMIT;";

fn parts() -> Catalog {
    accepted(PARTS, &world())
}

fn ingestor(source: &str) -> String {
    format!(
        "CREATE INGESTOR i FROM KAFKA {source} TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;"
    )
}

#[test]
fn a_kafka_ingestor_holds_its_client_and_its_codec() {
    let text = ingestor(
        "k TOPIC 'a.b_c' OFFSET BY CONSUMER GROUP g INSTANCES 3 MODE ACK PARALLEL MAX 9 DECODE USING c FILTER WHERE id > 0",
    );
    let catalog = accepted(&text, &parts());
    let key = EntityKey::new(EntityKind::Ingestor, "i");
    let Definition::Ingestor(found) = &catalog.get("d", &key).unwrap().definition else {
        panic!("no ingestor")
    };
    let SourceKind::Kafka {
        client,
        topic,
        group,
        instances,
        codec,
    } = &found.source
    else {
        panic!("{:?}", found.source)
    };
    assert_eq!(
        (client.name.as_str(), topic.as_str(), group.as_str()),
        ("k", "a.b_c", "g")
    );
    assert_eq!((*instances, codec.name.as_str()), (3, "c"));
    assert_eq!(found.mode, IngestMode::AckWindow(Window::Parallel(9)));
    assert_eq!(found.source.schema().name, "event");
    let texts: Vec<_> = catalog
        .closure("d", &key)
        .iter()
        .map(|entity| entity.text.to_string())
        .collect();
    assert_eq!(
        crate::definition("d", &texts).unwrap(),
        Definition::Ingestor(found.clone())
    );
}

#[test]
fn its_faults_are_reported_together() {
    let one = |source: &str| codes(&check(&ingestor(source), &parts()));
    assert_eq!(
        one("k TOPIC t OFFSET BY CONSUMER GROUP g INSTANCES 0 MODE ACK DECODE USING c"),
        ["E1201", "E1219"]
    );
    assert_eq!(
        one("kk TOPIC t OFFSET BY CONSUMER GROUP g MODE ACK PARALLEL MAX 0 DECODE USING cc"),
        ["E1001", "E1201", "E1001"]
    );
    assert_eq!(
        one("k TOPIC t OFFSET BY CONSUMER GROUP g MODE NO_ACK DECODE USING c FILTER WHERE nothing"),
        ["E1301"]
    );
    for (source, place) in [
        ("TOPIC '^orders.*' OFFSET BY CONSUMER GROUP g", "TOPIC"),
        ("TOPIC '' OFFSET BY CONSUMER GROUP g", "TOPIC"),
        ("TOPIC t OFFSET BY CONSUMER GROUP ''", "CONSUMER GROUP"),
    ] {
        let checked = check(
            &ingestor(&format!("k {source} MODE NO_ACK DECODE USING c")),
            &parts(),
        );
        assert_eq!(codes(&checked), ["E1246"], "{source}");
        assert!(checked.diagnostics[0].message.starts_with(place), "{source}");
    }
}

#[test]
fn apply_wants_a_worker_that_has_the_source() {
    let text = ingestor("k TOPIC t OFFSET BY CONSUMER GROUP g MODE NO_ACK DECODE USING c");
    let with = |kinds: &[&str]| {
        let settings = Settings {
            kinds: Some(
                kinds
                    .iter()
                    .map(|kind| (*kind).to_owned())
                    .collect::<BTreeSet<_>>(),
            ),
            ..Settings::in_domain(Some("d"))
        };
        codes(&check_in(&text, &settings, &parts()))
    };
    // A worker of the sink has no source.
    assert_eq!(with(&["CLIENT", "KAFKA"]), ["E1221"]);
    assert_eq!(with(&["CLIENT", SourceKind::KAFKA.word]), Vec::<&str>::new());
}
