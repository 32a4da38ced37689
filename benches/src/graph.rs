//! The graphs that are measured, in NSPL.

use std::ops::Range;

/// One ingestor, one relay, one client emitter; unbranched. `FLUSH IMMEDIATE` on both sides.
pub(crate) fn straight(max_messages: u32) -> String {
    format!(
        "CREATE DOMAIN d; USE d; START; BEGIN;
         CREATE SCHEMA event (id I64, sent I64, payload STRING);
         CREATE RELAY events SCHEMA event UNBRANCHED;
         CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK
           TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         CREATE EMITTER outbox FROM events TO CLIENT SCHEMA event
           MODE ACK PARALLEL MAX 64 ACK TIMEOUT 1m RETRY POLICY BACKOFF 10ms MAX 100ms
           INHERIT ALL BATCH MAX MESSAGES {max_messages} MAX SIZE 4MiB FLUSH IMMEDIATE
           ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         COMMIT;"
    )
}

/// A domain with one relay and without emitters.
pub(crate) fn no_emitter() -> &'static str {
    "CREATE DOMAIN d; USE d; START; BEGIN;
     CREATE SCHEMA event (id I64, sent I64, payload STRING);
     CREATE RELAY events SCHEMA event UNBRANCHED;
     COMMIT;"
}

/// Idle client emitters of that relay, in one transaction; `numbers` name them.
pub(crate) fn emitters(numbers: Range<usize>) -> String {
    let mut script = "USE d; BEGIN;".to_owned();
    for n in numbers {
        script.push_str(&format!(
            "CREATE DETACHED EMITTER e{n} FROM events TO CLIENT SCHEMA event
               MODE ACK PARALLEL MAX 64 ACK TIMEOUT 1m RETRY POLICY BACKOFF 10ms MAX 100ms
               INHERIT ALL BATCH MAX MESSAGES 1000 MAX SIZE 1MiB FLUSH EACH 1s MAX BATCH SIZE 1MiB
               ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;\n"
        ));
    }
    script.push_str("COMMIT;");
    script
}

/// One ingestor branched by `key`, one client emitter.
pub(crate) fn branched() -> String {
    "CREATE DOMAIN d; USE d; START; BEGIN;
     CREATE SCHEMA event (id I64, sent I64, payload STRING);
     CREATE SCHEMA event_key (id I64);
     CREATE BRANCH by_id SCHEMA event_key TTL 1h;
     CREATE RELAY events SCHEMA event BRANCHED BY by_id;
     CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK
       TO events INHERIT ALL BRANCHED BY by_id SET id = message.id
       FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
     CREATE EMITTER outbox FROM events TO CLIENT SCHEMA event
       MODE ACK PARALLEL MAX 64 ACK TIMEOUT 1m RETRY POLICY BACKOFF 10ms MAX 100ms
       INHERIT ALL BATCH MAX MESSAGES 65536 MAX SIZE 4MiB FLUSH IMMEDIATE
       ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
     COMMIT;"
        .to_owned()
}

/// One ingestor, one relay, one HTTP emitter whose endpoint is this port.
pub(crate) fn requests(port: u16) -> String {
    format!(
        "CREATE DOMAIN d; USE d; START; BEGIN;
         CREATE SCHEMA event (id I64, sent I64, payload STRING);
         CREATE WIRE JSON SCHEMA event_wire MODE STRICT (id integer, sent integer, payload string);
         CREATE CODEC event_codec FROM WIRE JSON SCHEMA event_wire TO SCHEMA event;
         CREATE CLIENT api TYPE HTTP CONFIG {{ 'endpoint' = 'http://127.0.0.1:{port}', 'timeout_ms' = 5000 }};
         CREATE RELAY events SCHEMA event UNBRANCHED;
         CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK
           TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         CREATE EMITTER outbox FROM events TO HTTP api METHOD 'POST' PATH '/events'
           MODE ACK RETRY POLICY BACKOFF 10ms MAX 100ms ENCODE USING event_codec
           INHERIT ALL INVOKE write_header('Content-Type', 'application/json') FLUSH IMMEDIATE
           ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         COMMIT;"
    )
}

/// One ingestor, one relay, one Kafka emitter on a topic; its client has this `linger.ms`, or that of librdkafka.
pub(crate) fn records((brokers, linger): (&str, Option<&str>), topic: &str, window: usize) -> String {
    let linger = linger.map_or_else(String::new, |linger| format!(", 'linger.ms' = '{linger}'"));
    format!(
        "CREATE DOMAIN d; USE d; START; BEGIN;
         CREATE SCHEMA event (id I64, sent I64, payload STRING);
         CREATE WIRE JSON SCHEMA event_wire MODE STRICT (id integer, sent integer, payload string);
         CREATE CODEC event_codec FROM WIRE JSON SCHEMA event_wire TO SCHEMA event;
         CREATE CLIENT brokers TYPE KAFKA CONFIG {{ 'bootstrap.servers' = '{brokers}'{linger} }};
         CREATE RELAY events SCHEMA event UNBRANCHED;
         CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK
           TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         CREATE EMITTER outbox FROM events TO KAFKA brokers TOPIC {topic}
           MODE ACK PARALLEL MAX {window} ACK TIMEOUT 30s RETRY POLICY BACKOFF 10ms MAX 100ms
           ENCODE USING event_codec INHERIT ALL FLUSH IMMEDIATE
           ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         COMMIT;"
    )
}

/// One ingestor, one relay, one Postgres emitter that inserts `rows` rows at a time.
pub(crate) fn inserts(address: &str, rows: usize) -> String {
    format!(
        "CREATE DOMAIN d; USE d; START; BEGIN;
         CREATE SCHEMA event (id I64, sent I64, payload STRING);
         CREATE CLIENT pg TYPE POSTGRES POOL SIZE MIN 1 MAX 1 CONFIG {{ 'addr' = '{address}' }};
         CREATE RELAY events SCHEMA event UNBRANCHED;
         CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK
           TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         CREATE EMITTER outbox FROM events TO POSTGRES pg INSERT TO TABLE events
           VALUES {{ 'id' = input.id, 'sent' = input.sent, 'payload' = input.payload }}
           MODE ACK RETRY POLICY BACKOFF 10ms MAX 100ms
           BATCH MAX MESSAGES {rows} MAX SIZE 8MiB FLUSH IMMEDIATE
           ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         COMMIT;"
    )
}
