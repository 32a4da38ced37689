//! ALTER EMITTER over sinks that publish what a codec writes (emitters.txt "Altering emitters", "HTTP requests").

use super::{LOG, accepted, check, codes, transactions};
use crate::{Catalog, ChangeClass};

fn world() -> Catalog {
    let text = format!(
        "CREATE DOMAIN d; USE d; BEGIN;
         CREATE SCHEMA event (id STRING, verb STRING);
         CREATE RELAY events SCHEMA event UNBRANCHED;
         CREATE RELAY others SCHEMA event UNBRANCHED;
         CREATE CODEC json FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS ON EMITTING '.';
         CREATE CODEC yaml FROM YAML TO SCHEMA event WITH JAQ TRANSFORMATIONS ON EMITTING '.';
         CREATE CLIENT kafka TYPE KAFKA CONFIG {{'bootstrap.servers' = 'h:9092'}};
         CREATE CLIENT kafka_2 TYPE KAFKA CONFIG {{'bootstrap.servers' = 'i:9092'}};
         CREATE CLIENT sqs TYPE SQS CONFIG {{'region' = 'eu-west-1'}};
         CREATE CLIENT http TYPE HTTP CONFIG {{'endpoint' = 'http://h', 'timeout_ms' = 1}};
         CREATE CLIENT http_2 TYPE HTTP CONFIG {{'endpoint' = 'http://i', 'timeout_ms' = 1}};
         CREATE CLIENT untimed TYPE HTTP CONFIG {{'endpoint' = 'http://i'}};
         CREATE EMITTER queue FROM events TO KAFKA kafka TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 1s MAX 1s ENCODE USING json
           INHERIT ALL INVOKE write_header('a', id) FLUSH EACH 1s MAX BATCH SIZE 1MiB {LOG}
         CREATE EMITTER post FROM events TO HTTP http METHOD 'POST' PATH '/' MODE ACK RETRY POLICY BACKOFF 1s MAX 1s
           ENCODE USING json INHERIT ALL FLUSH IMMEDIATE {LOG}
         CREATE EMITTER delete FROM events TO HTTP http METHOD 'DELETE' PATH '/' MODE ACK RETRY POLICY BACKOFF 1s MAX 1s
           WITHOUT BODY FLUSH IMMEDIATE {LOG}
         COMMIT;"
    );
    accepted(&text, &Catalog::default())
}

const RETRY: &str = "RETRY POLICY BACKOFF 1s MAX 1s";

#[test]
fn what_an_alteration_changes_says_how_it_is_carried_out() {
    let world = world();
    let cases = [
        (
            "queue",
            "SET TO KAFKA kafka TOPIC u MODE NO_ACK",
            ChangeClass::EntityPause,
        ),
        (
            "queue",
            "SET TO KAFKA kafka TOPIC t MODE NO_ACK",
            ChangeClass::None,
        ),
        (
            "queue",
            "SET TO SQS sqs QUEUE q MODE BATCH",
            ChangeClass::EntityPause,
        ),
        (
            "queue",
            "SET MODE ACK SEQUENTIAL ACK TIMEOUT 1s",
            ChangeClass::EntityPause,
        ),
        ("queue", "SET MODE NO_ACK", ChangeClass::None),
        (
            "post",
            "SET TO HTTP http METHOD 'PUT' PATH '/' MODE ACK",
            ChangeClass::EntityPause,
        ),
    ];
    for (emitter, operation, class) in cases {
        let body = if operation.contains("TO HTTP") {
            "ENCODE USING json"
        } else {
            ""
        };
        expect(
            &world,
            &format!("ALTER EMITTER {emitter} {operation} {RETRY} {body};"),
            class,
        );
    }
    let cases = [
        ("queue SET CLIENT kafka_2", ChangeClass::EntityPause),
        ("queue SET CLIENT kafka", ChangeClass::None),
        ("queue SET ENCODE USING yaml", ChangeClass::EntityPause),
        (
            "queue SET BATCH MAX MESSAGES 9 MAX SIZE 1KiB",
            ChangeClass::EntityPause,
        ),
        ("queue SET FLUSH IMMEDIATE", ChangeClass::Dynamic),
        ("queue SET COLLECT FOR 1s", ChangeClass::EntityPause),
        ("queue SET DETACHED", ChangeClass::EntityPause),
        ("queue ADD FROM others", ChangeClass::DomainPause),
        ("post SET CLIENT http_2", ChangeClass::EntityPause),
        ("post SET ENCODE USING yaml", ChangeClass::EntityPause),
        ("post SET FLUSH EACH 1s MAX BATCH SIZE 1MiB", ChangeClass::Dynamic),
    ];
    for (operation, class) in cases {
        expect(&world, &format!("ALTER EMITTER {operation};"), class);
    }
    let client = "ALTER CLIENT http SET CONFIG {'endpoint' = 'http://j', 'timeout_ms' = 2};";
    expect(&world, client, ChangeClass::DomainPause);
    let again = format!(
        "BEGIN; DROP EMITTER delete; CREATE EMITTER delete FROM events TO HTTP http METHOD 'DELETE' PATH '/' MODE ACK {RETRY}
         WITHOUT BODY INVOKE write_header('a', id) FLUSH IMMEDIATE {LOG} COMMIT;"
    );
    expect(&world, &again, ChangeClass::EntityPause);
}

fn expect(world: &Catalog, text: &str, class: ChangeClass) {
    let done = transactions(text, world);
    assert_eq!(done.last().map(|done| done.class), Some(class), "{text}");
}

#[test]
fn an_alteration_that_leaves_an_invalid_emitter_is_refused() {
    let world = world();
    let http = "SET TO HTTP http METHOD";
    let cases = [
        ("queue DROP ENCODE".to_owned(), "E1241"),
        ("post DROP ENCODE".to_owned(), "E1223"),
        ("delete DROP ENCODE".to_owned(), "E1223"),
        ("queue DROP BATCH".to_owned(), "E1223"),
        ("queue DROP COLLECT".to_owned(), "E1223"),
        ("queue SET CLIENT http".to_owned(), "E1240"),
        ("queue SET CLIENT kafka_3".to_owned(), "E1001"),
        ("post SET CLIENT untimed".to_owned(), "E1255"),
        (format!("post SET MODE NO_ACK {RETRY}"), "E1207"),
        ("post SET BATCH MAX MESSAGES 9 MAX SIZE 1KiB".to_owned(), "E1209"),
        (
            "queue SET BATCH MAX MESSAGES 9 MAX SIZE 1KiB, SET TO SQS sqs QUEUE 'q.fifo' MODE BATCH"
                .to_owned()
                + " "
                + RETRY,
            "E1250",
        ),
        // The body selection is restated with the request.
        (format!("post {http} 'PUT' PATH '/' MODE ACK {RETRY}"), "E1241"),
        (format!("queue {http} 'PUT' PATH '/' MODE ACK {RETRY}"), "E1241"),
        // The construction stays, and WITHOUT BODY has none.
        (
            format!("post {http} 'PUT' PATH '/' MODE ACK {RETRY} WITHOUT BODY"),
            "E1245",
        ),
        ("delete SET ENCODE USING json".to_owned(), "E1215"),
        (
            format!("post {http} 'GET' PATH '/' MODE ACK {RETRY} ENCODE USING json"),
            "E1253",
        ),
        ("queue SET COMMIT EACH 1m MAX SIZE 1MiB".to_owned(), "E1223"),
    ];
    for (operation, code) in cases {
        let text = format!("ALTER EMITTER {operation};");
        assert_eq!(codes(&check(&text, &world)), [code], "{text}");
    }
    // Only MQTT has levels.
    let text = format!("ALTER EMITTER queue SET MODE QOS 0 {RETRY};");
    assert_eq!(codes(&check(&text, &world)), ["E1207"]);
    // A codec or a client that a stored emitter cannot use any more.
    let client = "ALTER CLIENT http SET CONFIG {'endpoint' = 'http://h'};";
    assert_eq!(codes(&check(client, &world)), ["E1008", "E1008"]);
    let codec = "BEGIN; DROP CODEC json;
        CREATE CODEC json FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS ON INGESTION '.'; COMMIT;";
    assert_eq!(codes(&check(codec, &world)), ["E1008", "E1008"]);
}
