//! Sinks that publish what a codec writes: the forms that each takes, what may be read where, and what is said together.

mod constants;

use nspl_model::{
    Build, Content, Definition, EmitterDef, EntityKey, EntityKind, OrderingGroup, SinkDef, SinkKind,
};

use super::{LOG, accepted, check, check_in, codes};
use crate::{Catalog, Settings};

const SINKS: &str = "
CREATE DOMAIN d; USE d; BEGIN;
CREATE SCHEMA event (id STRING, verb STRING, path STRING, note STRING OPTIONAL, secret STRING SENSITIVE, count U8);
CREATE SCHEMA item (id STRING, verb STRING OPTIONAL);
CREATE SCHEMA frame (facility U8, severity U8, message STRING);
CREATE SCHEMA failure (reason STRING);
CREATE SCHEMA key (origin STRING);
CREATE BRANCH by_origin SCHEMA key TTL 1h;
CREATE RELAY events SCHEMA event UNBRANCHED;
CREATE RELAY branched SCHEMA event BRANCHED BY by_origin;
CREATE RELAY failures SCHEMA failure UNBRANCHED;
CREATE RELAY latest SCHEMA key UNBRANCHED WITH MATERIALIZED STATE LAST BY TIMESTAMP;
CREATE CODEC json FROM JSON TO SCHEMA item WITH JAQ TRANSFORMATIONS ON EMITTING '.' ON EMITTING BATCH '{extra: .}';
CREATE CODEC plain FROM JSON TO SCHEMA item WITH JAQ TRANSFORMATIONS ON EMITTING '.';
CREATE CODEC yaml FROM YAML TO SCHEMA item WITH JAQ TRANSFORMATIONS ON EMITTING '.';
CREATE CODEC frames FROM SYSLOG TO SCHEMA frame;
CREATE CLIENT kafka TYPE KAFKA CONFIG {'bootstrap.servers' = 'h:9092'};
CREATE CLIENT pulsar TYPE PULSAR CONFIG {'addr' = 'pulsar://h:6650'};
CREATE CLIENT rabbitmq TYPE RABBITMQ CONFIG {'addr' = 'amqp://h'};
CREATE CLIENT redis TYPE REDIS POOL SIZE MIN 0 MAX 1 CONFIG {'addr' = 'redis://h'};
CREATE CLIENT mqtt TYPE MQTT CONFIG {'addr' = 'mqtt://h', 'client_id' = 'c'};
CREATE CLIENT nats TYPE NATS CONFIG {'addr' = 'nats://h'};
CREATE CLIENT zeromq TYPE ZEROMQ CONFIG {'addr' = 'tcp://h:1'};
CREATE CLIENT syslog TYPE SYSLOG CONFIG {'addr' = 'h:514', 'protocol' = 'udp'};
CREATE CLIENT sqs TYPE SQS CONFIG {'region' = 'eu-west-1'};
CREATE CLIENT sentry TYPE SENTRY CONFIG {'dsn' = 'https://k@h/1'};
CREATE CLIENT http TYPE HTTP CONFIG {'endpoint' = 'http://h', 'timeout_ms' = 1, 'method' = 'TRACE'};
CREATE CLIENT other_http TYPE HTTP CONFIG {'endpoint' = 'http://o', 'timeout_ms' = 1};
COMMIT;";

const RETRY: &str = "RETRY POLICY BACKOFF 250ms MAX 30s";
const WINDOWED: [&str; 2] = [
    "ACK SEQUENTIAL ACK TIMEOUT 1s",
    "ACK PARALLEL MAX 9 ACK TIMEOUT 1s",
];
const FORMS: [&str; 13] = [
    "NO_ACK",
    WINDOWED[0],
    WINDOWED[1],
    "ACK",
    "QOS 0",
    "QOS 1 ACK SEQUENTIAL ACK TIMEOUT 1s",
    "QOS 2 ACK PARALLEL MAX 9 ACK TIMEOUT 1s",
    "JETSTREAM ACK SEQUENTIAL ACK TIMEOUT 1s",
    "SINGLE",
    "BATCH",
    "ACK SEQUENTIAL",
    "NO_ACK ACK TIMEOUT 1s",
    "QOS 1",
];

/// The row of companion section 7: its clause, the codec and the construction it takes, and its forms of MODE.
const ROWS: [(&str, &str, &[usize]); 11] = [
    ("HTTP http METHOD 'PUT' PATH '/'", "json", &[3]),
    ("KAFKA kafka TOPIC t", "json", &[0, 1, 2]),
    ("PULSAR pulsar TOPIC t", "json", &[0, 1, 2]),
    ("RABBITMQ rabbitmq QUEUE q", "json", &[0, 1, 2]),
    ("REDIS PUBSUB redis CHANNEL ch", "json", &[0]),
    ("MQTT mqtt TOPIC t", "json", &[4, 5, 6]),
    ("NATS nats SUBJECT s", "json", &[0, 7]),
    ("ZEROMQ zeromq", "json", &[0]),
    ("SYSLOG syslog", "frames", &[0]),
    ("SQS sqs QUEUE q", "json", &[8, 9]),
    ("SENTRY sentry", "json", &[3]),
];

fn sinks() -> Catalog {
    accepted(SINKS, &Catalog::default())
}

fn emitter(from: &str, sink: &str, mode: &str, rest: &str) -> String {
    format!("CREATE EMITTER e FROM {from} TO {sink} MODE {mode} {RETRY} {rest} FLUSH IMMEDIATE {LOG}")
}

fn construction(codec: &str) -> &'static str {
    match codec {
        "frames" => "SET facility = count, severity = count, message = id",
        _ => "INHERIT id",
    }
}

/// An emitter of the HTTP sink with a codec, from its request fields and what follows INHERIT.
fn request(method: &str, path: &str, rest: &str) -> String {
    let sink = format!("HTTP http METHOD {method} PATH {path}");
    emitter(
        "events",
        &sink,
        "ACK",
        &format!("ENCODE USING json INHERIT id {rest}"),
    )
}

fn bodiless(method: &str, path: &str, rest: &str) -> String {
    let sink = format!("HTTP http METHOD {method} PATH {path}");
    emitter("events", &sink, "ACK", &format!("WITHOUT BODY {rest}"))
}

fn fifo(from: &str, group: &str) -> String {
    let sink = format!("SQS sqs QUEUE 'q.fifo' FIFO GROUP {group}");
    emitter(from, &sink, "BATCH", "ENCODE USING json INHERIT id")
}

fn definition(text: &str) -> EmitterDef {
    let catalog = accepted(text, &sinks());
    match catalog
        .get("d", &EntityKey::new(EntityKind::Emitter, "e"))
        .unwrap()
        .definition
        .clone()
    {
        Definition::Emitter(emitter) => EmitterDef::clone(&emitter),
        other => panic!("{other:?}"),
    }
}

fn refused(text: &str) -> Vec<&'static str> {
    codes(&check(text, &sinks()))
}

#[test]
fn every_sink_takes_its_forms_of_mode_and_no_other() {
    let world = sinks();
    for (sink, codec, forms) in ROWS {
        for (index, form) in FORMS.iter().enumerate() {
            let rest = format!("ENCODE USING {codec} {}", construction(codec));
            let text = emitter("events", sink, form, &rest);
            let found = codes(&check(&text, &world));
            let fits = forms.contains(&index);
            let mode_alone = found.len() == 1 && matches!(found[0], "E1207" | "E1208");
            assert!(
                if fits { found.is_empty() } else { mode_alone },
                "{text}: {found:?}"
            );
        }
    }
}

#[test]
fn a_kind_that_no_worker_runs_is_refused_by_apply_alone_with_what_can_be_built() {
    let mut settings = Settings::in_domain(Some("d"));
    for (sink, codec, forms) in ROWS {
        let rest = format!("ENCODE USING {codec} {}", construction(codec));
        let text = emitter("events", sink, FORMS[forms[0]], &rest);
        settings.kinds = Some(["CLIENT".to_owned()].into());
        let checked = check_in(&text, &settings, &sinks());
        assert_eq!(codes(&checked), ["E1221"], "{text}");
        let kind = SinkKind::from_name(sink.split(' ').next().unwrap()).unwrap();
        let said = format!("{:?}", checked.diagnostics);
        let remedy = match kind.capabilities().build {
            Build::Feature(feature) => format!("FEATURES={feature}"),
            Build::Every | Build::None => "this release delivers TO CLIENT, ".to_owned(),
        };
        assert!(said.contains(kind.name()) && said.contains(&remedy), "{said}");
        settings.kinds = Some([kind.name().to_owned()].into());
        assert_eq!(codes(&check_in(&text, &settings, &sinks())), Vec::<&str>::new());
    }
}

#[test]
fn headers_stand_where_the_specification_has_them() {
    let world = sinks();
    for (sink, codec, forms) in ROWS {
        let rest = format!(
            "ENCODE USING {codec} {} INVOKE write_header('a', id), write_header('a', 'b')",
            construction(codec)
        );
        let found = codes(&check(&emitter("events", sink, FORMS[forms[0]], &rest), &world));
        let has = ["HTTP", "KAFKA", "PULSAR", "RABBITMQ", "NATS", "SQS"]
            .iter()
            .any(|kind| sink.starts_with(kind));
        assert_eq!(found, if has { vec![] } else { vec!["E1212"; 2] }, "{sink}");
    }
}

#[test]
fn batch_stands_where_the_sink_and_the_codec_can_carry_it() {
    let batch = |sink: &str, mode: &str, codec: &str, size: &str| {
        let rest = format!(
            "ENCODE USING {codec} {} BATCH MAX MESSAGES 9 MAX SIZE {size}",
            construction(codec)
        );
        refused(&emitter("events", sink, mode, &rest))
    };
    for (sink, codec, forms) in ROWS {
        let expected = if sink.starts_with("HTTP") {
            vec!["E1209"]
        } else {
            vec![]
        };
        assert_eq!(batch(sink, FORMS[forms[0]], codec, "256KiB"), expected, "{sink}");
    }
    assert_eq!(batch("SQS sqs QUEUE q", "SINGLE", "json", "262145B"), ["E1210"]);
    assert_eq!(batch("SENTRY sentry", "ACK", "plain", "1KiB"), ["E1244"]);
    assert_eq!(
        batch("KAFKA kafka TOPIC t", "NO_ACK", "plain", "1KiB"),
        Vec::<&str>::new()
    );
}

#[test]
fn a_codec_is_there_emits_and_suits_the_sink() {
    let body = |sink: &str, mode: &str, body: &str| refused(&emitter("events", sink, mode, body));
    for (sink, _, forms) in ROWS {
        let mode = FORMS[forms[0]];
        assert_eq!(body(sink, mode, "INHERIT id"), ["E1241"], "{sink}");
        assert_eq!(
            body(sink, mode, "ENCODE USING jsn INHERIT id"),
            ["E1001"],
            "{sink}"
        );
        if !sink.starts_with("HTTP") {
            assert_eq!(body(sink, mode, "WITHOUT BODY"), ["E1211"], "{sink}");
        }
    }
    assert_eq!(
        body("SENTRY sentry", "ACK", "ENCODE USING yaml INHERIT id"),
        ["E1243"]
    );
    assert_eq!(
        body("SYSLOG syslog", "NO_ACK", "ENCODE USING json INHERIT id"),
        ["E1243"]
    );
    // The schema of the codec is what the construction builds.
    assert_eq!(body("ZEROMQ zeromq", "NO_ACK", "ENCODE USING json"), ["E1215"]);
}

#[test]
fn the_definition_holds_what_the_statement_says() {
    let http = definition(&request(
        "input.verb",
        "output.id",
        "INVOKE write_header('a', id)",
    ));
    assert!(matches!(&http.content, Content::Encoded(codec) if codec.schema == http.output));
    assert_eq!(http.headers.len(), 1);
    assert_eq!(
        http.sink.client().map(|client| client.name.as_str()),
        Some("http")
    );
    let bodiless = definition(&bodiless("verb", "message.path", "WHERE note = 'a'"));
    assert_eq!(
        (&bodiless.content, bodiless.output.fields.len()),
        (&Content::Absent, 0)
    );
    assert!(bodiless.construction.filter.is_some() && bodiless.construction.steps.is_empty());
    let SinkDef::Sqs(sqs) = definition(&fifo("branched", "FROM BRANCH")).sink else {
        panic!("a queue")
    };
    assert_eq!(
        (sqs.queue.as_str(), sqs.group),
        ("q.fifo", Some(OrderingGroup::Branch))
    );
}

#[test]
fn a_worker_reads_the_same_definition_from_the_statements_of_its_assignment() {
    let key = EntityKey::new(EntityKind::Emitter, "e");
    for (sink, codec, forms) in ROWS {
        let rest = format!("ENCODE USING {codec} {}", construction(codec));
        let catalog = accepted(&emitter("events", sink, FORMS[forms[0]], &rest), &sinks());
        let closure = catalog.closure("d", &key);
        let texts: Vec<&str> = closure.iter().map(|entity| &*entity.text).collect();
        let read = crate::definition("d", &texts).unwrap();
        assert_eq!(
            Some(&read),
            catalog.get("d", &key).map(|entity| &entity.definition),
            "{sink}"
        );
    }
}

#[test]
fn request_fields_and_headers_are_exact_texts_that_are_not_secret() {
    assert_eq!(refused(&request("count", "note", "")), ["E1304", "E1314"]);
    assert_eq!(
        refused(&request("secret", "input.secret", "")),
        ["E1315", "E1315"]
    );
    assert_eq!(
        refused(&request(
            "leak_sensitive(secret)",
            "path",
            "INVOKE write_header(note, secret)"
        )),
        ["E1314", "E1315"]
    );
    assert_eq!(
        refused(&request("branch.origin", "relay_state.latest.origin", "")),
        ["E1302"; 2]
    );
    assert_eq!(refused(&fifo("events", "secret")), ["E1315"]);
    assert_eq!(refused(&fifo("events", "note")), ["E1314"]);
}

#[test]
fn without_a_body_there_is_no_output() {
    assert_eq!(refused(&bodiless("output.verb", "path", "")), ["E1302"]);
    assert_eq!(
        refused(&bodiless(
            "verb",
            "path",
            "INHERIT id SET id = 'a' WHERE output.id = ''"
        )),
        ["E1245", "E1245", "E1302"]
    );
    let routed = |scope: &str, body: &str| {
        let text = format!(
            "CREATE EMITTER e FROM events USING MATERIALIZED STATE latest REQUIRED SKIP TO HTTP http METHOD input.verb
             PATH relay_state.latest.origin MODE ACK {RETRY} {body} FLUSH IMMEDIATE
             ON MESSAGE ERROR SEND TO failures SET reason = concat(input.id, {scope}, relay_state.latest.origin)
             ON GENERAL ERROR LOG;"
        );
        refused(&text)
    };
    assert_eq!(
        routed("partial_output.id", "ENCODE USING json INHERIT id"),
        Vec::<&str>::new()
    );
    assert_eq!(routed("partial_output.id", "WITHOUT BODY"), ["E1302"]);
    assert_eq!(routed("error.message", "WITHOUT BODY"), Vec::<&str>::new());
}

#[test]
fn an_ordering_group_reads_the_source_row_alone() {
    for group in ["id", "input.id", "concat(id, '-', verb)"] {
        assert_eq!(refused(&fifo("events", group)), Vec::<&str>::new(), "{group}");
    }
    for group in [
        "output.id",
        "message.id",
        "branch.origin",
        "relay_state.latest.origin",
    ] {
        assert_eq!(refused(&fifo("branched", group)), ["E1302"], "{group}");
    }
    assert_eq!(refused(&fifo("branched, events", "FROM BRANCH")), ["E1251"]);
    let suffix = |queue: &str| {
        let sink = format!("SQS sqs QUEUE '{queue}' FIFO GROUP id");
        refused(&emitter("events", &sink, "BATCH", "ENCODE USING json INHERIT id"))
    };
    assert_eq!(suffix("q.FIFO"), ["E1246", "E1250"]);
    assert_eq!(suffix("qfifo"), ["E1250"]);
}

#[test]
fn constants_of_a_request_are_judged_at_validation() {
    for method in [
        "'CONNECT'",
        "'trace'",
        "''",
        "'A B'",
        "repeat('A', 65)",
        "'GET'",
        "lower('HEAD')",
    ] {
        assert_eq!(refused(&request(method, "'/a'", "")), ["E1253"], "{method}");
    }
    for path in [
        "''",
        "'a'",
        "'//a'",
        "'/a#b'",
        "'/%2'",
        "'/a b'",
        "'/.//a'",
        "concat('/', repeat('a', 8192))",
    ] {
        assert_eq!(refused(&request("'PUT'", path, "")), ["E1254"], "{path}");
    }
    let headers = "INVOKE write_header('Host', ' a'), write_header('x', ''), write_header(id, 'é')";
    assert_eq!(refused(&request("'PUT'", "'/a'", headers)), ["E1248", "E1248"]);
    let many: Vec<String> = (0..130)
        .map(|index| format!("write_header('h{index}', id)"))
        .collect();
    let many = format!("INVOKE {}", many.join(", "));
    assert_eq!(refused(&request("'PUT'", "'/a'", &many)), ["E1249"]);
    let long = "INVOKE write_header('h', repeat('a', 32767)), write_header('g', id)";
    assert_eq!(refused(&request("'PUT'", "'/a'", long)), ["E1249"]);
}

#[test]
fn the_client_is_of_the_kind_of_the_sink_and_times_its_requests() {
    let sink = "HTTP kafka METHOD 'PUT' PATH '//'";
    let checked = check(
        &emitter("events", sink, "ACK", "ENCODE USING json INHERIT id"),
        &sinks(),
    );
    assert_eq!(codes(&checked), ["E1240", "E1254"]);
    assert_eq!(
        checked.diagnostics[0].message,
        "CLIENT kafka is of TYPE KAFKA, and HTTP is needed here"
    );
    for timeout in ["", ", 'timeout_ms' = 31536000001"] {
        let client = format!("CREATE CLIENT slow TYPE HTTP CONFIG {{'endpoint' = 'http://h'{timeout}}};");
        let sink = "HTTP slow METHOD 'PUT' PATH '/'";
        let text = emitter("events", sink, "ACK", "ENCODE USING json INHERIT id");
        let text = format!("BEGIN; {client} {text} COMMIT;");
        let checked = check(&text, &sinks());
        assert_eq!(codes(&checked), ["E1255"]);
        let found = &checked.diagnostics[0];
        assert_eq!(text.get(found.span.clone()), Some("slow"));
        assert!(
            text.get(found.labels[0].span.clone())
                .unwrap()
                .starts_with("CREATE CLIENT slow")
        );
    }
}

#[test]
fn all_faults_of_one_emitter_are_said_once_and_in_order() {
    let text = format!(
        "CREATE EMITTER e FROM events TO HTTP htpp METHOD 'CONNECT' PATH 'a' MODE NO_ACK {RETRY} ENCODE USING jsn
         INHERIT nothing INVOKE lower(id), write_header('Host', input.secret) BATCH MAX MESSAGES 0 MAX SIZE 1B FLUSH IMMEDIATE {LOG}"
    );
    let checked = check(&text, &sinks());
    assert_eq!(
        codes(&checked),
        [
            "E1001", "E1253", "E1254", "E1207", "E1001", "E1301", "E1247", "E1315", "E1209"
        ]
    );
    assert!(checked.diagnostics.is_sorted_by_key(|found| found.span.start));
    let said = format!("{:?}", checked.diagnostics);
    assert!(
        said.contains("CLIENT http exists") && said.contains("CODEC json exists"),
        "{said}"
    );
}
