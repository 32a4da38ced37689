//! Clients: the example of emitters.txt for every kind, and what single kinds demand.

use super::{accepted, check, codes, transactions, world};
use crate::ChangeClass;

fn client(kind: &str, config: &str) -> String {
    format!("CREATE CLIENT c TYPE {kind} CONFIG {{{config}}};")
}

const CLIENTS: [(&str, &str); 20] = [
    (
        "KAFKA",
        "'bootstrap.servers' = 'h:9094', 'security.protocol' = 'ssl', 'linger.ms' = '5', 'acks' = -1",
    ),
    (
        "PULSAR",
        "'addr' = 'pulsar+ssl://h:6651', 'tls_ca_file' = '/ca', 'tls_allow_insecure_connection' = true",
    ),
    ("RABBITMQ", "'addr' = 'amqp://u:p@h:5672/%2f'"),
    (
        "REDIS POOL SIZE MIN 0 MAX 1",
        "'addr' = 'rediss://h', 'tls_ca_file' = '/ca'",
    ),
    (
        "MQTT",
        "'addr' = 'mqtts://h:8883', 'client_id' = 'n', 'tls_ca_file' = '/ca'",
    ),
    (
        "NATS",
        "'addr' = 'tls://h', 'creds_file' = '/c', 'tls_ca_file' = '/ca'",
    ),
    (
        "ZEROMQ",
        "'addr' = 'ipc:///tmp/s', 'bind' = true, 'socket' = 'pub'",
    ),
    (
        "SYSLOG",
        "'addr' = 'h:6514', 'protocol' = 'tls', 'framing' = 'octet-counting', 'tls_ca_file' = '/ca'",
    ),
    (
        "SQS",
        "'region' = 'eu-west-1', 'access_key_id' = 'a', 'secret_access_key' = 's', 'tls_ca_file' = '/ca'",
    ),
    (
        "SENTRY",
        "'dsn' = 'https://k@sentry.example.com/1', 'timeout_ms' = 5000",
    ),
    (
        "OTEL",
        "'endpoint' = 'http://127.0.0.1:4317', 'protocol' = 'grpc', 'headers' = 'a=b', 'compression' = 'gzip'",
    ),
    (
        "HTTP",
        "'endpoint' = 'https://api.example.com', 'timeout_ms' = 5000",
    ),
    (
        "CLICKHOUSE",
        "'addr' = 'http://127.0.0.1:8123', 'user' = 'u', 'password' = 'p', 'timeout_ms' = 5000",
    ),
    (
        "POSTGRES POOL SIZE MIN 2 MAX 8",
        "'addr' = 'postgresql://u:p@h:5432/d?sslmode=verify-full', 'tls_ca_file' = '/ca'",
    ),
    (
        "MYSQL POOL SIZE MIN 2 MAX 8",
        "'addr' = 'mysql://u:p@h:3306/d?require_ssl=true', 'tls_ca_file' = '/ca'",
    ),
    (
        "MONGODB POOL SIZE MIN 2 MAX 8",
        "'addr' = 'mongodb://u:p@h/d?authSource=admin', 'database' = 'd'",
    ),
    (
        "S3",
        "'endpoint' = 'http://h:9900', 'region' = 'r', 'path_style_access' = true",
    ),
    (
        "GCS",
        "'service_path' = 'https://storage.googleapis.com', 'token' = 't'",
    ),
    ("AZURE_BLOB", "'account_name' = 'a', 'account_key' = 'k'"),
    (
        "ICEBERG_REST",
        "'uri' = 'http://h:8181', 'warehouse' = 's3://w/x'",
    ),
];

#[test]
fn every_kind_takes_its_keys() {
    for (kind, config) in CLIENTS {
        accepted(&client(kind, config), &world());
    }
}

const REFUSED: &[(&str, &str, &str)] = &[
    (
        "POSTGRES POOL SIZE MIN 0 MAX 1",
        "'addr' = 'postgres://h/d?sslmode=verify-full&sslmode=disable', 'tls_ca_file' = '/ca'",
        "E1405",
    ),
    (
        "MYSQL POOL SIZE MIN 0 MAX 1",
        "'addr' = 'mysql://h/d?require_ssl=true&a=1&require_ssl=false'",
        "E1405",
    ),
    (
        "MONGODB POOL SIZE MIN 0 MAX 1",
        "'addr' = 'mongodb+srv://h/d?tls=false', 'database' = 'd', 'tls_ca_file' = '/ca'",
        "E1407",
    ),
    ("KAFKA", "'bootstrap.servers' = 'h:1', 'group.id' = 'g'", "E1402"),
    ("KAFKA", "'bootstrap.servers' = 'h:1', 'ack' = 'all'", "E1402"),
    ("RABBITMQ", "'addr' = 'amqp://h', 'tls_cert_file' = '/c'", "E1402"),
    ("MQTT", "'addr' = 'mqtts://h', 'client_id' = 'n'", "E1407"),
    ("MQTT", "'addr' = 'mqtt://h'", "E1403"),
    (
        "NATS",
        "'addr' = 'nats://h', 'token' = 't', 'creds_file' = '/c'",
        "E1406",
    ),
    (
        "SYSLOG",
        "'addr' = 'h:1', 'protocol' = 'tls', 'framing' = 'non-transparent'",
        "E1404",
    ),
    ("SYSLOG", "'addr' = 'h', 'protocol' = 'udp'", "E1405"),
    (
        "SYSLOG",
        "'addr' = 'h:1', 'protocol' = 'udp', 'max_message_size' = 65508",
        "E1404",
    ),
    (
        "REDIS POOL SIZE MIN 1 MAX 2",
        "'addr' = 'redis://h', 'database' = '1'",
        "E1404",
    ),
    (
        "REDIS POOL SIZE MIN 1 MAX 2",
        "'addr' = 'redis://h', 'database' = 'orders'",
        "E1404",
    ),
    ("KAFKA", "'bootstrap.server' = 'h:1'", "E1402"),
    ("OTEL", "'endpoint' = 'http://h', 'protocol' = 'http'", "E1404"),
    (
        "OTEL",
        "'endpoint' = 'http://h', 'protocol' = 'grpc', 'headers' = 'authorization'",
        "E1404",
    ),
    (
        "OTEL",
        "'endpoint' = 'http://h', 'protocol' = 'grpc', 'headers' = 'a=b,c d=e'",
        "E1404",
    ),
    ("HTTP", "'endpoint' = 'https://h/path'", "E1405"),
    ("HTTP", "'endpoint' = 'http://h', 'tls_ca_file' = '/ca'", "E1407"),
    ("HTTP", "'endpoint' = 'http://h', 'timeout_ms' = 0", "E1404"),
    ("ZEROMQ", "'addr' = 'tcp://h:1', 'bind' = 'true'", "E1404"),
    (
        "POSTGRES POOL SIZE MIN 0 MAX 1",
        "'addr' = 'postgres://h/d'",
        "E1405",
    ),
    (
        "POSTGRES POOL SIZE MIN 2 MAX 1",
        "'addr' = 'postgres://h/d?sslmode=disable'",
        "E1408",
    ),
    ("SQS POOL SIZE MIN 0 MAX 1", "'region' = 'r'", "E1408"),
    ("S3", "'region' = 'r', 'region' = 's'", "E1216"),
    (
        "PULSAR",
        "'addr' = 'pulsar://h', 'tls_allow_insecure_connection' = true",
        "E1407",
    ),
    (
        "PULSAR",
        "'addr' = 'pulsar://h', 'tls_hostname_verification_enabled' = false",
        "E1407",
    ),
    ("SQS", "'region' = 'r', 'session_token' = 't'", "E1406"),
    ("S3", "'region' = 'r', 'session_token' = 't'", "E1406"),
    ("RABBITMQ", "'addr' = 'amqp://***@h'", "E1410"),
    ("RABBITMQ", "'addr' = 'amqp://u:***@h'", "E1410"),
    (
        "POSTGRES POOL SIZE MIN 0 MAX 1",
        "'addr' = 'postgres://***:p@h/d?sslmode=disable'",
        "E1410",
    ),
    ("CLICKHOUSE", "'addr' = 'http://h:1/?password=***'", "E1410"),
];

#[test]
fn what_a_kind_does_not_take_is_refused_once() {
    for (kind, config, code) in REFUSED {
        let checked = check(&client(kind, config), &world());
        assert_eq!(
            codes(&checked),
            [*code],
            "{kind} {config} {:#?}",
            checked.diagnostics
        );
    }
}

#[test]
fn no_diagnostic_of_a_client_quotes_a_value() {
    let text = client(
        "POSTGRES",
        "'addr' = 'postgres://user:hush@h/d', 'tls_ca_file' = 'hush'",
    );
    for found in check(&text, &world()).diagnostics {
        assert!(!format!("{found:?}").contains("hush"), "{found:?}");
    }
}

#[test]
fn a_mount_refers_to_its_resource_and_a_changed_client_pauses_its_domain() {
    let create = "CREATE RESOURCE files; CREATE CLIENT c TYPE RABBITMQ MOUNT files VERSION 2
                  CONFIG {'addr' = 'amqps://h', 'tls_ca_file' = '{{ files }}/ca.pem'};";
    let catalog = accepted(&format!("BEGIN; {create} COMMIT;"), &world());
    assert_eq!(codes(&check("DROP RESOURCE files;", &catalog)), ["E1004"]);
    accepted("UPLOAD RESOURCE files VERSION './files';", &catalog);
    let alter = "ALTER CLIENT c SET MOUNT files VERSION LATEST, SET CONFIG {'addr' = 'amqp://h'};";
    assert_eq!(transactions(alter, &catalog)[0].class, ChangeClass::DomainPause);
    assert_eq!(
        codes(&check(
            "ALTER CLIENT c SET CONFIG {'addr' = 'http://h'};",
            &catalog
        )),
        ["E1405"]
    );
}
