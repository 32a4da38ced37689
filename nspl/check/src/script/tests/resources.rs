//! What is judged by files of resources, and the versions that are pinned.

use std::collections::BTreeMap;
use std::sync::Arc;

use nspl_model::{CodecForm, Definition, EntityKey, EntityKind};

use super::{check_in, codes, world};
use crate::{Catalog, Checked, FileMap, ResourceFiles, Resources, Settings};

const EVENT: &str = "syntax = \"proto3\";\npackage p;\nmessage Event { string id = 1; }\nmessage Events { repeated Event all = 1; }";

/// A store of one resource, and a folder `good` and one `broken`.
struct Files {
    stored: Option<u64>,
}

impl ResourceFiles for Files {
    fn latest(&self, _: &str, resource: &str) -> Option<u64> {
        assert_eq!(resource, "protos");
        self.stored
    }

    fn stored(&self, domain: &str, _: &str, version: u64) -> Result<FileMap, String> {
        assert_eq!(domain, "d");
        assert!(self.stored.is_some_and(|stored| (1..=stored).contains(&version)));
        self.folder("good")
    }

    fn folder(&self, folder: &str) -> Result<FileMap, String> {
        let text = match folder {
            "good" => EVENT.to_owned(),
            "broken" => EVENT.replace("string", "strng"),
            _ => return Err("it is somewhere else".to_owned()),
        };
        let files = BTreeMap::from([("event.proto".to_owned(), text.into_bytes())]);
        Ok(Arc::new(files))
    }
}

fn judged(text: &str, stored: Option<u64>, catalog: &Catalog) -> Checked {
    let settings = Settings {
        resources: Some(Resources::new(Arc::new(Files { stored }))),
        ..Settings::in_domain(Some("d"))
    };
    check_in(text, &settings, catalog)
}

fn with_resource() -> Catalog {
    super::accepted("CREATE RESOURCE protos;", &world())
}

fn codec(version: &str, message: &str) -> String {
    format!(
        "CREATE CODEC c FROM PROTOBUF USING RESOURCE protos {version} CONFIG {{'file' = 'event.proto'}} MESSAGE '{message}'
           BATCH MESSAGE 'p.Events' TO SCHEMA event WITH JAQ TRANSFORMATIONS ON EMITTING '.';"
    )
}

fn version(checked: &Checked) -> (Option<u64>, bool) {
    let key = EntityKey::new(EntityKind::Codec, "c");
    let entity = checked.plan.catalog.get("d", &key).unwrap();
    let Definition::Codec(codec) = &entity.definition else {
        panic!("no codec")
    };
    let CodecForm::Protobuf(protobuf) = &codec.form else {
        panic!("no protobuf")
    };
    (protobuf.version, entity.text.contains("VERSION"))
}

#[test]
fn the_latest_version_is_pinned_and_stored() {
    let catalog = with_resource();
    let latest = judged(&codec("", "p.Event"), Some(3), &catalog);
    assert_eq!(latest.diagnostics, []);
    assert_eq!(version(&latest), (Some(3), true));
    let written = judged(&codec("VERSION 2", "p.Event"), Some(3), &catalog);
    assert_eq!(version(&written), (Some(2), true));
    let uploaded = format!("UPLOAD RESOURCE protos VERSION 'good'; {}", codec("", "p.Event"));
    assert_eq!(version(&judged(&uploaded, Some(3), &catalog)), (Some(4), true));
    assert_eq!(version(&judged(&uploaded, None, &catalog)), (None, false));
    // What is stored comes back as it was, whatever is uploaded since.
    let again = "CREATE IF NOT EXISTS ".to_owned() + codec("", "p.Event").trim_start_matches("CREATE ");
    assert_eq!(
        codes(&judged(&again, Some(3), &latest.plan.catalog)),
        Vec::<&str>::new()
    );
    assert_eq!(codes(&judged(&again, Some(4), &latest.plan.catalog)), ["W1001"]);
    let texts = ["SCHEMA event", "RESOURCE protos", "CODEC c"].map(|words| {
        let (kind, name) = words.split_once(' ').unwrap();
        let key = EntityKey::new(EntityKind::from_words(kind).unwrap(), name);
        latest.plan.catalog.get("d", &key).unwrap().clone()
    });
    let found = crate::definition("d", &texts.each_ref().map(|entity| &*entity.text)).unwrap();
    assert_eq!(found, texts[2].definition);
    // A change of what it refers to leaves its version alone.
    let altered = judged(
        "ALTER SCHEMA event ADD FIELD more STRING OPTIONAL;",
        Some(9),
        &latest.plan.catalog,
    );
    assert_eq!(altered.diagnostics, []);
    assert_eq!(version(&altered), (Some(3), true));
}

#[test]
fn mounts_are_pinned_too() {
    let catalog = with_resource();
    let client = "CREATE CLIENT c TYPE RABBITMQ MOUNT protos VERSION LATEST CONFIG {'addr' = 'amqps://h'};";
    let text = |stored| {
        let checked = judged(client, stored, &catalog);
        assert_eq!(checked.diagnostics, []);
        let key = EntityKey::new(EntityKind::Client, "c");
        checked.plan.catalog.get("d", &key).unwrap().text.to_string()
    };
    assert!(text(Some(2)).contains("MOUNT protos VERSION 2"));
    assert!(text(Some(0)).contains("MOUNT protos VERSION LATEST"));
    assert!(text(None).contains("MOUNT protos VERSION LATEST"));
    let missing = client.replace("LATEST", "3");
    assert_eq!(codes(&judged(&missing, Some(2), &catalog)), ["E1510"]);
    assert_eq!(codes(&judged(&missing, None, &catalog)), Vec::<&str>::new());
}

#[test]
fn faults_of_files_are_named_and_missing_files_are_warned_of() {
    let catalog = with_resource();
    let after = |folder: &str| {
        format!(
            "UPLOAD RESOURCE protos VERSION '{folder}'; {}",
            codec("", "p.Event")
        )
    };
    let broken = judged(&after("broken"), Some(0), &catalog);
    assert_eq!(codes(&broken), ["E1511"]);
    let message = &broken.diagnostics[0].message;
    assert!(
        message.contains("event.proto:3: name 'strng' is not defined"),
        "{message}"
    );
    assert_eq!(codes(&judged(&after("away"), Some(0), &catalog)), ["W1002"]);
    assert_eq!(
        version(&judged(&after("away"), Some(0), &catalog)),
        (Some(1), true)
    );
    assert_eq!(codes(&judged(&codec("", "p.Event"), None, &catalog)), ["W1002"]);
    assert_eq!(
        codes(&judged(&codec("", "p.Event"), Some(0), &catalog)),
        ["E1510"]
    );
    assert_eq!(
        codes(&judged(&codec("VERSION 4", "p.Event"), Some(3), &catalog)),
        ["E1510"]
    );
    let message = judged(&codec("", "Event"), Some(1), &catalog);
    assert_eq!(codes(&message), ["E1512"]);
    assert_eq!(
        message.diagnostics[0].help.as_deref(),
        Some("they have a message 'p.Event'")
    );
    // A resource of the same transaction has no version, whatever one of its name had.
    let fresh = format!(
        "BEGIN; DROP RESOURCE protos; CREATE RESOURCE protos; {} COMMIT;",
        codec("", "p.Event")
    );
    assert_eq!(codes(&judged(&fresh, Some(3), &catalog)), ["E1510"]);
}
