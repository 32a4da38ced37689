//! The keys of every kind of client, as rulings section 8 lists them. KAFKA passes its keys on: see `kafka`.

use super::kafka;
use super::kind::{BondTakes, ClientKey, ClientKind, ClientShape, KeyBond, KeyShape, TlsWhen};

const fn required(name: &'static str, shape: KeyShape) -> ClientKey {
    ClientKey {
        name,
        required: true,
        shape,
    }
}

const fn optional(name: &'static str, shape: KeyShape) -> ClientKey {
    ClientKey {
        name,
        required: false,
        shape,
    }
}

const fn text(name: &'static str) -> ClientKey {
    optional(name, KeyShape::Text)
}

const TIMEOUT: ClientKey = optional("timeout_ms", KeyShape::Positive);
const CA: ClientKey = optional("tls_ca_file", KeyShape::File);
const CERT: ClientKey = optional("tls_cert_file", KeyShape::File);
const KEY: ClientKey = optional("tls_key_file", KeyShape::File);
const SIGNATURE: (&str, &str) = ("access_key_id", "secret_access_key");
/// A session is one of a key pair.
const SESSION: (&str, &str) = ("session_token", "access_key_id");
const TLS_PAIR: (&str, &str) = ("tls_cert_file", "tls_key_file");
const HTTPS: &[&str] = &["http", "https"];

/// The most bytes of one UDP datagram over IPv4: 65,535 without the headers of IP and UDP.
const DATAGRAM_BYTES_MAX: u64 = 65_507;

/// There is no opportunistic fallback and no encrypted connection without peer verification.
const POSTGRES_ADDRESS: KeyShape = KeyShape::AddressWith(
    &["postgres", "postgresql"],
    ("sslmode", &["verify-full", "disable"]),
);

/// How a transport bounds what is framed in it.
const SYSLOG_BONDS: &[KeyBond] = &[
    KeyBond {
        when: ("protocol", "tls"),
        key: "framing",
        takes: BondTakes::Word("octet-counting"),
        why: "syslog over TLS is framed by octet-counting",
    },
    KeyBond {
        when: ("protocol", "udp"),
        key: "max_message_size",
        takes: BondTakes::AtMost(DATAGRAM_BYTES_MAX),
        why: "a message over UDP is one datagram",
    },
];

const fn row(kind: ClientKind, name: &'static str, keys: &'static [ClientKey]) -> ClientShape {
    ClientShape {
        kind,
        name,
        keys,
        pairs: &[],
        needs: &[],
        alternatives: &[],
        tls: None,
        tls_needs_ca: false,
        passed_on: &[],
        passed_on_files: &[],
        owned: &[],
        foreign_code: &[],
        between: &[],
        pool: false,
    }
}

const fn tls(shape: ClientShape, when: TlsWhen) -> ClientShape {
    ClientShape {
        tls: Some(when),
        ..shape
    }
}

const fn pairs(shape: ClientShape, pairs: &'static [(&'static str, &'static str)]) -> ClientShape {
    ClientShape { pairs, ..shape }
}

const fn needs(shape: ClientShape, needs: &'static [(&'static str, &'static str)]) -> ClientShape {
    ClientShape { needs, ..shape }
}

const fn pooled(shape: ClientShape) -> ClientShape {
    ClientShape { pool: true, ..shape }
}

const fn one_of(shape: ClientShape, alternatives: &'static [&'static str]) -> ClientShape {
    ClientShape {
        alternatives,
        ..shape
    }
}

const fn addr(schemes: &'static [&'static str]) -> ClientKey {
    required("addr", KeyShape::Address(schemes))
}

pub(super) const ROWS: [ClientShape; 20] = [
    ClientShape {
        passed_on: &kafka::PROPERTIES,
        passed_on_files: &kafka::FILES,
        owned: &kafka::OWNED,
        foreign_code: &kafka::FOREIGN_CODE,
        ..row(
            ClientKind::Kafka,
            "KAFKA",
            &[required("bootstrap.servers", KeyShape::Text)],
        )
    },
    tls(
        row(
            ClientKind::Pulsar,
            "PULSAR",
            &[
                addr(&["pulsar", "pulsar+ssl"]),
                text("namespace"),
                text("token"),
                CA,
                optional("tls_allow_insecure_connection", KeyShape::Bool),
                optional("tls_hostname_verification_enabled", KeyShape::Bool),
            ],
        ),
        TlsWhen::Scheme("addr", &["pulsar+ssl"]),
    ),
    tls(
        row(ClientKind::RabbitMq, "RABBITMQ", &[addr(&["amqp", "amqps"]), CA]),
        TlsWhen::Scheme("addr", &["amqps"]),
    ),
    pooled(tls(
        pairs(
            row(
                ClientKind::Redis,
                "REDIS",
                &[
                    addr(&["redis", "rediss"]),
                    text("username"),
                    text("password"),
                    optional("database", KeyShape::Whole),
                    CA,
                    CERT,
                    KEY,
                ],
            ),
            &[TLS_PAIR],
        ),
        TlsWhen::Scheme("addr", &["rediss"]),
    )),
    ClientShape {
        tls_needs_ca: true,
        ..tls(
            pairs(
                row(
                    ClientKind::Mqtt,
                    "MQTT",
                    &[
                        addr(&["mqtt", "mqtts"]),
                        required("client_id", KeyShape::Text),
                        text("username"),
                        text("password"),
                        CA,
                        CERT,
                        KEY,
                    ],
                ),
                &[TLS_PAIR],
            ),
            TlsWhen::Scheme("addr", &["mqtts"]),
        )
    },
    one_of(
        tls(
            pairs(
                row(
                    ClientKind::Nats,
                    "NATS",
                    &[
                        addr(&["nats", "tls"]),
                        text("username"),
                        text("password"),
                        text("token"),
                        optional("creds_file", KeyShape::File),
                        CA,
                        CERT,
                        KEY,
                    ],
                ),
                &[("username", "password"), TLS_PAIR],
            ),
            TlsWhen::Scheme("addr", &["tls"]),
        ),
        &["username", "token", "creds_file"],
    ),
    row(
        ClientKind::ZeroMq,
        "ZEROMQ",
        &[
            addr(&["tcp", "ipc"]),
            optional("bind", KeyShape::Bool),
            optional("socket", KeyShape::OneOf(&["push", "pub"])),
        ],
    ),
    ClientShape {
        between: SYSLOG_BONDS,
        ..tls(
            pairs(
                row(
                    ClientKind::Syslog,
                    "SYSLOG",
                    &[
                        required("addr", KeyShape::HostPort),
                        required("protocol", KeyShape::OneOf(&["udp", "tcp", "tls"])),
                        optional("framing", KeyShape::OneOf(&["octet-counting", "non-transparent"])),
                        optional("max_message_size", KeyShape::Positive),
                        optional("connect_timeout_ms", KeyShape::Positive),
                        CA,
                        CERT,
                        KEY,
                    ],
                ),
                &[TLS_PAIR],
            ),
            TlsWhen::Value("protocol", "tls"),
        )
    },
    tls(
        needs(
            pairs(
                row(
                    ClientKind::Sqs,
                    "SQS",
                    &[
                        optional("endpoint", KeyShape::Address(HTTPS)),
                        required("region", KeyShape::Text),
                        text("access_key_id"),
                        text("secret_access_key"),
                        text("session_token"),
                        CA,
                        TIMEOUT,
                    ],
                ),
                &[SIGNATURE],
            ),
            &[SESSION],
        ),
        TlsWhen::Scheme("endpoint", &["https"]),
    ),
    tls(
        pairs(
            row(
                ClientKind::Sentry,
                "SENTRY",
                &[required("dsn", KeyShape::Project(HTTPS)), TIMEOUT, CA, CERT, KEY],
            ),
            &[TLS_PAIR],
        ),
        TlsWhen::Scheme("dsn", &["https"]),
    ),
    tls(
        pairs(
            row(
                ClientKind::Otel,
                "OTEL",
                &[
                    required("endpoint", KeyShape::Address(HTTPS)),
                    required("protocol", KeyShape::OneOf(&["grpc", "http/protobuf"])),
                    optional("headers", KeyShape::HeaderList),
                    optional("compression", KeyShape::OneOf(&["gzip"])),
                    TIMEOUT,
                    CA,
                    CERT,
                    KEY,
                ],
            ),
            &[TLS_PAIR],
        ),
        TlsWhen::Scheme("endpoint", &["https"]),
    ),
    tls(
        pairs(
            row(
                ClientKind::Http,
                "HTTP",
                &[
                    required("endpoint", KeyShape::Origin(HTTPS)),
                    TIMEOUT,
                    text("method"),
                    CA,
                    CERT,
                    KEY,
                ],
            ),
            &[TLS_PAIR],
        ),
        TlsWhen::Scheme("endpoint", &["https"]),
    ),
    tls(
        pairs(
            row(
                ClientKind::ClickHouse,
                "CLICKHOUSE",
                &[
                    addr(HTTPS),
                    text("user"),
                    text("password"),
                    text("database"),
                    TIMEOUT,
                    CA,
                    CERT,
                    KEY,
                ],
            ),
            &[TLS_PAIR],
        ),
        TlsWhen::Scheme("addr", &["https"]),
    ),
    pooled(tls(
        pairs(
            row(
                ClientKind::Postgres,
                "POSTGRES",
                &[required("addr", POSTGRES_ADDRESS), CA, CERT, KEY],
            ),
            &[TLS_PAIR],
        ),
        TlsWhen::Parameter("addr", ("sslmode", "verify-full"), &[]),
    )),
    pooled(tls(
        pairs(
            row(ClientKind::MySql, "MYSQL", &[addr(&["mysql"]), CA, CERT, KEY]),
            &[TLS_PAIR],
        ),
        TlsWhen::Parameter("addr", ("require_ssl", "true"), &[]),
    )),
    pooled(tls(
        pairs(
            row(
                ClientKind::MongoDb,
                "MONGODB",
                &[
                    addr(&["mongodb", "mongodb+srv"]),
                    required("database", KeyShape::Text),
                    CA,
                    CERT,
                    KEY,
                ],
            ),
            &[TLS_PAIR],
        ),
        TlsWhen::Parameter("addr", ("tls", "true"), &["mongodb+srv"]),
    )),
    needs(
        pairs(
            row(
                ClientKind::S3,
                "S3",
                &[
                    optional("endpoint", KeyShape::Address(HTTPS)),
                    required("region", KeyShape::Text),
                    text("access_key_id"),
                    text("secret_access_key"),
                    text("session_token"),
                    optional("path_style_access", KeyShape::Bool),
                ],
            ),
            &[SIGNATURE],
        ),
        &[SESSION],
    ),
    one_of(
        row(
            ClientKind::Gcs,
            "GCS",
            &[
                optional("service_path", KeyShape::Address(HTTPS)),
                text("token"),
                text("credential"),
            ],
        ),
        &["token", "credential"],
    ),
    one_of(
        row(
            ClientKind::AzureBlob,
            "AZURE_BLOB",
            &[
                required("account_name", KeyShape::Text),
                text("account_key"),
                text("sas_token"),
                optional("endpoint", KeyShape::Address(HTTPS)),
            ],
        ),
        &["account_key", "sas_token"],
    ),
    row(
        ClientKind::IcebergRest,
        "ICEBERG_REST",
        &[
            required("uri", KeyShape::Address(HTTPS)),
            required("warehouse", KeyShape::Text),
            text("token"),
            text("credential"),
            text("scope"),
            optional("oauth2_server_uri", KeyShape::Address(HTTPS)),
            text("prefix"),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::{ClientKind, KeyBond, ROWS};

    #[test]
    fn the_rows_stand_in_the_order_of_the_kinds_and_know_every_key_that_they_speak_of() {
        for (index, row) in ROWS.iter().enumerate() {
            assert_eq!(row.kind as usize, index, "{}", row.name);
            assert_eq!(ClientKind::from_name(row.name), Some(row.kind));
            let known = |key: &str| row.keys.iter().any(|known| known.name == key);
            let mut together = row.pairs.iter().chain(row.needs);
            assert!(together.all(|(a, b)| known(a) && known(b)), "{}", row.name);
            assert!(row.alternatives.iter().all(|key| known(key)), "{}", row.name);
            let bound = |bond: &KeyBond| known(bond.when.0) && known(bond.key);
            assert!(row.between.iter().all(bound), "{}", row.name);
            let mut files = row.passed_on_files.iter();
            assert!(files.all(|name| row.passes_on(name)), "{}", row.name);
            for barred in row.owned.iter().chain(row.foreign_code) {
                assert!(
                    row.passed_on.contains(barred) && !row.passes_on(barred),
                    "{barred}"
                );
            }
        }
    }
}
