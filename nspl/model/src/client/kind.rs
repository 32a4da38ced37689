//! The kinds of clients, and what a row of their table says.

use std::fmt;

/// What a client reaches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "each is the product of its name")]
pub enum ClientKind {
    Kafka,
    Pulsar,
    RabbitMq,
    Redis,
    Mqtt,
    Nats,
    ZeroMq,
    Syslog,
    Sqs,
    Sentry,
    Otel,
    Http,
    ClickHouse,
    Postgres,
    MySql,
    MongoDb,
    S3,
    Gcs,
    AzureBlob,
    IcebergRest,
}

/// The row of one kind: its keys and what holds between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClientShape {
    /// Whose row it is.
    pub kind: ClientKind,
    /// Its keyword.
    pub name: &'static str,
    /// Its keys.
    pub keys: &'static [ClientKey],
    /// Keys that stand together or not at all.
    pub pairs: &'static [(&'static str, &'static str)],
    /// Of these keys at most one stands.
    pub alternatives: &'static [&'static str],
    /// When the connection is a TLS one, for kinds that have TLS files.
    pub tls: Option<TlsWhen>,
    /// Whether POOL SIZE is required; else it is refused.
    pub pool: bool,
}

/// One key of CONFIG.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClientKey {
    /// Its exact name.
    pub name: &'static str,
    /// Whether every client of the kind has it.
    pub required: bool,
    /// What it takes.
    pub shape: KeyShape,
}

/// What a key takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyShape {
    /// A string.
    Text,
    /// A whole number of at least 1.
    Positive,
    /// A whole number, 0 among them.
    Whole,
    /// TRUE or FALSE.
    Bool,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A URL with one of these schemes and a host.
    Address(&'static [&'static str]),
    /// A URL with one of these schemes, a host, and nothing behind it.
    Origin(&'static [&'static str]),
    /// Comma-separated `key=value`, the headers of an OTLP request.
    HeaderList,
    /// `host:port`.
    HostPort,
    /// A path of a file, possibly in a mounted resource.
    File,
}

/// When the connection of a client is a TLS one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TlsWhen {
    /// The value of the key begins with one of these schemes; without the key it is one.
    Scheme(&'static str, &'static [&'static str]),
    /// The URL of the key has this parameter with this value, or one of these schemes.
    Parameter(
        &'static str,
        (&'static str, &'static str),
        &'static [&'static str],
    ),
    /// The key has this value.
    Value(&'static str, &'static str),
}

impl ClientKind {
    /// Finds a kind by its keyword, in any case.
    pub fn from_name(name: &str) -> Option<ClientKind> {
        let row = super::table::ROWS
            .iter()
            .find(|row| row.name.eq_ignore_ascii_case(name));
        row.map(|row| row.kind)
    }

    /// Every kind.
    pub fn all() -> impl Iterator<Item = ClientKind> {
        super::table::ROWS.iter().map(|row| row.kind)
    }

    /// Its row.
    pub fn shape(self) -> &'static ClientShape {
        // The table is total, in the order of the variants; the test beside it holds that.
        super::table::ROWS
            .get(self as usize)
            .unwrap_or(&super::table::ROWS[0])
    }

    /// The keyword behind TYPE.
    pub fn name(self) -> &'static str {
        self.shape().name
    }
}

impl fmt::Display for ClientKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
