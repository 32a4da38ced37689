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
    /// Keys of which the first needs the second beside it.
    pub needs: &'static [(&'static str, &'static str)],
    /// Of these keys at most one stands.
    pub alternatives: &'static [&'static str],
    /// When the connection is a TLS one, for kinds that have keys of TLS.
    pub tls: Option<TlsWhen>,
    /// Whether a TLS connection needs tls_ca_file.
    pub tls_needs_ca: bool,
    /// Properties that are handed on as they are written, besides the keys.
    pub passed_on: &'static [&'static str],
    /// Those of them that are paths of files.
    pub passed_on_files: &'static [&'static str],
    /// Properties that Nervix sets itself, so that no CONFIG may.
    pub owned: &'static [&'static str],
    /// Properties that would run commands or load code on workers, so that no CONFIG may.
    pub foreign_code: &'static [&'static str],
    /// What holds between the values of two keys.
    pub between: &'static [KeyBond],
    /// Whether POOL SIZE is required; else it is refused.
    pub pool: bool,
}

/// What one key takes where another has a certain value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyBond {
    /// The other key and its value.
    pub when: (&'static str, &'static str),
    /// The key that is bound.
    pub key: &'static str,
    /// What it takes then.
    pub takes: BondTakes,
    /// Why.
    pub why: &'static str,
}

/// What a bound key takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BondTakes {
    /// This word alone.
    Word(&'static str),
    /// A whole number up to this one.
    AtMost(u64),
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
    /// The same, with this parameter and one of these values of it.
    AddressWith(&'static [&'static str], (&'static str, &'static [&'static str])),
    /// The same, with a key before the host and a project behind it.
    Project(&'static [&'static str]),
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

impl ClientKey {
    /// Whether it says something about TLS alone.
    pub fn is_of_tls(&self) -> bool {
        self.name.starts_with("tls_")
    }
}

impl ClientShape {
    /// The properties that are handed on as they are written.
    pub fn passed_on(&self) -> impl Iterator<Item = &'static str> {
        let is_key = |name: &str| self.keys.iter().any(|key| key.name == name);
        let others = self.passed_on.iter().copied();
        let is_barred = |name: &str| self.owned.contains(&name) || self.foreign_code.contains(&name);
        others.filter(move |name| !is_key(name) && !is_barred(name))
    }

    /// Whether a key or a property takes the path of a file.
    pub fn is_file(&self, name: &str) -> bool {
        let key = self.keys.iter().find(|key| key.name == name);
        key.is_some_and(|key| key.shape == KeyShape::File) || self.passed_on_files.contains(&name)
    }

    /// Whether a property of this name is handed on.
    pub fn passes_on(&self, name: &str) -> bool {
        self.passed_on().any(|known| known == name)
    }
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

    /// The names that its CONFIG may hold: its keys, then what is handed on.
    pub fn key_names(self) -> impl Iterator<Item = &'static str> {
        let shape = self.shape();
        let keys = shape.keys.iter().map(|key| key.name);
        keys.chain(shape.passed_on())
    }
}

impl fmt::Display for ClientKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
