//! Every example of the specification for direct sinks and their clients is accepted.

use nspl_model::{Body, SinkKind};
use nspl_syntax::{Entity, Statement, parse, print};

use super::{check, codes};
use crate::Catalog;
use crate::script::tests::accepted;

const EXAMPLES: &str = include_str!("../../../../../syntax/tests/corpus/emitters.nspl");

/// What the examples read and write without defining it.
const SURROUNDINGS: &str = "
CREATE DOMAIN d; USE d; BEGIN;
CREATE SCHEMA notification (user_id STRING, action STRING);
CREATE SCHEMA audit (event_ts DATETIME, level STRING, level_num I32, message STRING, trace_id STRING, span_id STRING,
  user_id STRING, action STRING SENSITIVE);
CREATE SCHEMA window (window_start DATETIME, window_end DATETIME, request_count U64, route STRING OPTIONAL);
CREATE RELAY notifications SCHEMA notification UNBRANCHED;
CREATE RELAY audit_events SCHEMA audit UNBRANCHED;
CREATE RELAY windows SCHEMA window UNBRANCHED;
CREATE CLIENT otel_main TYPE OTEL CONFIG {'endpoint' = 'http://h:4317', 'protocol' = 'grpc'};
CREATE CLIENT clickhouse_client TYPE CLICKHOUSE CONFIG {'addr' = 'http://h:8123'};
CREATE CLIENT postgres_client TYPE POSTGRES POOL SIZE MIN 2 MAX 8 CONFIG {'addr' = 'postgres://h/d?sslmode=disable'};
CREATE CLIENT mysql_client TYPE MYSQL POOL SIZE MIN 2 MAX 8 CONFIG {'addr' = 'mysql://h/d'};
CREATE CLIENT mongodb_client TYPE MONGODB POOL SIZE MIN 2 MAX 8 CONFIG {'addr' = 'mongodb://h', 'database' = 'd'};
CREATE CLIENT s3_main TYPE S3 CONFIG {'region' = 'us-east-1'};
CREATE CLIENT gcs_main TYPE GCS CONFIG {'token' = 't'};
CREATE CLIENT azure_main TYPE AZURE_BLOB CONFIG {'account_name' = 'a', 'account_key' = 'k'};
CREATE CLIENT iceberg_catalog TYPE ICEBERG_REST CONFIG {'uri' = 'http://h:8181', 'warehouse' = 'w'};
COMMIT;";

const CONFLICTS: [(&str, &str); 7] = [
    (
        "POSTGRES postgres_client INSERT TO TABLE my_table",
        "(\"postgres_user_id\") DO UPDATE",
    ),
    (
        "POSTGRES postgres_client INSERT TO TABLE my_table",
        "(\"postgres_user_id\") DO NOTHING",
    ),
    ("POSTGRES postgres_client INSERT TO TABLE my_table", "DO NOTHING"),
    ("MYSQL mysql_client INSERT TO TABLE my_table", "DO UPDATE"),
    ("MYSQL mysql_client INSERT TO TABLE my_table", "DO NOTHING"),
    (
        "MONGODB mongodb_client INSERT TO COLLECTION my_collection",
        "(\"mongodb_user_id\") DO UPDATE",
    ),
    (
        "MONGODB mongodb_client INSERT TO COLLECTION my_collection",
        "(\"mongodb_user_id\") DO NOTHING",
    ),
];

const METRIC: &str = "
TO OTEL otel_main
METRIC 'http.server.request.count' UNIT '1'
DESCRIPTION 'Completed HTTP requests'
SUM MONOTONIC DELTA
VALUES {
  'time' = input.window_end,
  'start_time' = input.window_start,
  'value' = input.request_count
}
ATTRIBUTES { 'http.route' = input.route }
RESOURCE { 'service.name' = 'checkout-pipeline' }
MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s";

fn surroundings() -> Catalog {
    accepted(SURROUNDINGS, &Catalog::default())
}

/// The text of a statement, when it is about a direct sink: the emitter, or a client that such emitters use.
fn direct(statement: &Statement) -> Option<String> {
    let Statement::Create(create) = statement else {
        return None;
    };
    let text = format!("{};", print(statement));
    match &create.entity {
        Entity::Emitter(emitter) => {
            let kind = SinkKind::from_name(emitter.sink.target.keyword())?;
            (kind.capabilities().body == Body::Values).then_some(text)
        }
        Entity::Client(client) => {
            let kinds = [
                "OTEL",
                "CLICKHOUSE",
                "POSTGRES",
                "MYSQL",
                "MONGODB",
                "S3",
                "GCS",
                "AZURE_BLOB",
                "ICEBERG_REST",
            ];
            let own = kinds.contains(&client.kind.text.to_uppercase().as_str());
            own.then(|| text.replacen(&format!("CLIENT {}", client.name.text), "CLIENT example", 1))
        }
        _ => None,
    }
}

#[test]
fn every_whole_example_is_accepted() {
    let catalog = surroundings();
    let parsed = parse(EXAMPLES);
    let statements: Vec<String> = parsed
        .statements
        .iter()
        .filter_map(|found| direct(&found.node))
        .collect();
    let emitters = statements.iter().filter(|text| text.contains("EMITTER")).count();
    assert_eq!((emitters, statements.len()), (8, 19));
    for text in statements {
        let checked = check(&text, &catalog);
        assert_eq!(checked.diagnostics, [], "{text}");
    }
}

#[test]
fn every_fragment_is_accepted_in_a_least_statement() {
    let catalog = surroundings();
    let mode = "MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s";
    let tail = "FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";
    for (sink, conflict) in CONFLICTS {
        let key = sink.split([' ', '_']).nth(1).unwrap();
        let values =
            format!("VALUES {{\"{key}_user_id\" = input.user_id, \"{key}_action\" = LOWER(input.action)}}");
        let text = format!(
            "CREATE EMITTER e FROM notifications TO {sink} {values} ON CONFLICT {conflict} {mode}
             BATCH MAX MESSAGES 500 MAX SIZE 8MiB {tail}"
        );
        assert_eq!(codes(&check(&text, &catalog)), [""; 0], "{text}");
    }
    let text = format!("CREATE EMITTER e FROM windows {METRIC} {tail}");
    assert_eq!(check(&text, &catalog).diagnostics, []);
    let values = "VALUES {
        \"tenant\" = input.user_id,
        \"normalized\" = lower(input.action),
        \"secret\" = leak_sensitive(input.action)
      }
      WHERE input.action != ''";
    let text = format!(
        "CREATE EMITTER e FROM notifications TO POSTGRES postgres_client INSERT TO TABLE t {values} {mode}
         BATCH MAX MESSAGES 500 MAX SIZE 8MiB {tail}"
    );
    assert_eq!(check(&text, &catalog).diagnostics, []);
}
