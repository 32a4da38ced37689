//! `TO ICEBERG ON <store> c TABLE t`: rows staged locally, appended to a table at each commit (emitters.txt "Iceberg",
//! rulings section 7).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::{
    Body, Capabilities, ClientDef, ClientKind, DurationText, ModeRule, Presence, Shape, SinkKind, SizeText,
};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IcebergSinkDef {
    /// Where the files of the table lie.
    pub store: ObjectStore,
    /// How to reach the object store.
    pub client: Arc<ClientDef>,
    /// How to reach the REST catalog.
    pub catalog: Arc<ClientDef>,
    /// The table that is appended to; its columns are the fields of the output schema.
    pub table: IcebergTable,
    /// LOCATION: a URL with a scheme of the store.
    pub location: String,
    /// COMMIT EACH.
    pub commit: CommitPolicy,
}

/// The object stores of ICEBERG.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "each is the store of its name")]
pub enum ObjectStore {
    S3,
    Gcs,
    AzureBlob,
}

/// A table of a catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IcebergTable {
    /// The levels of its namespace, outermost first; never empty.
    pub namespace: Vec<String>,
    /// Its name.
    pub name: String,
}

/// `COMMIT EACH d MAX SIZE b`; the first boundary counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommitPolicy {
    /// Domain time, from the first staged row.
    pub each: Duration,
    /// Bytes of the staged files.
    pub max_bytes: u64,
}

impl ObjectStore {
    /// The kind of client that reaches it; its keyword is that of the store.
    pub fn client(self) -> ClientKind {
        match self {
            ObjectStore::S3 => ClientKind::S3,
            ObjectStore::Gcs => ClientKind::Gcs,
            ObjectStore::AzureBlob => ClientKind::AzureBlob,
        }
    }

    /// The schemes of its locations.
    pub fn schemes(self) -> &'static [&'static str] {
        match self {
            ObjectStore::S3 => &["s3"],
            ObjectStore::Gcs => &["gs"],
            ObjectStore::AzureBlob => &["wasbs", "wasb"],
        }
    }

    /// What a location looks like.
    pub fn example(self) -> &'static str {
        match self {
            ObjectStore::S3 => "s3://bucket/path",
            ObjectStore::Gcs => "gs://bucket/path",
            ObjectStore::AzureBlob => "wasbs://container@account.blob.core.windows.net/path",
        }
    }

    /// Whether a text is a location in it: a scheme, and the bucket or `container@host` behind it.
    pub fn holds(self, location: &str) -> bool {
        let Some((scheme, rest)) = location.split_once("://") else {
            return false;
        };
        let bucket = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let named = match self {
            ObjectStore::S3 | ObjectStore::Gcs => !bucket.is_empty() && !bucket.contains('@'),
            ObjectStore::AzureBlob => bucket
                .split_once('@')
                .is_some_and(|(container, host)| !container.is_empty() && !host.is_empty()),
        };
        let clean = !location.contains(|c: char| c.is_whitespace() || c.is_control());
        self.schemes().contains(&scheme) && named && clean
    }
}

impl IcebergTable {
    /// The namespace of a bare name.
    pub const DEFAULT_NAMESPACE: &'static str = "default";

    /// Reads `namespace.table`; dots separate the levels of the namespace.
    ///
    /// # Errors
    /// Says what is no name of a table: an empty part, a control character.
    pub fn parse(text: &str) -> Result<IcebergTable, String> {
        if text.contains(char::is_control) {
            return Err("a table's name holds no control characters".into());
        }
        let mut parts: Vec<String> = text.split('.').map(str::to_owned).collect();
        if parts.iter().any(String::is_empty) {
            return Err("a part of the table's name is empty".into());
        }
        let name = parts.pop().unwrap_or_default();
        if parts.is_empty() {
            parts.push(IcebergTable::DEFAULT_NAMESPACE.into());
        }
        Ok(IcebergTable {
            namespace: parts,
            name,
        })
    }
}

impl fmt::Display for IcebergTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.namespace.join("."), self.name)
    }
}

impl fmt::Display for CommitPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (each, size) = (DurationText(self.each), SizeText(self.max_bytes));
        write!(f, "COMMIT EACH {each} MAX SIZE {size}")
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    shape: Shape::Staged,
    body: Body::Values,
    batch: Presence::Barred,
    commit: true,
    ..Capabilities::payload(SinkKind::Iceberg, ModeRule::ANSWERED)
};

#[cfg(test)]
mod tests {
    use super::{IcebergTable, ObjectStore};

    #[test]
    fn a_bare_table_lives_in_the_default_namespace_and_dots_separate_levels() {
        let shown = |text| IcebergTable::parse(text).unwrap().to_string();
        assert_eq!(shown("orders"), "default.orders");
        let deep = IcebergTable::parse("a.b.orders").unwrap();
        assert_eq!(
            (deep.namespace.join("/"), deep.name.as_str()),
            ("a/b".into(), "orders")
        );
        for text in ["", ".", "a.", ".a", "a..b", "a\u{1f}b"] {
            assert!(IcebergTable::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_location_has_a_scheme_of_its_store_and_a_bucket() {
        let azure = "wasbs://c@a.blob.core.windows.net/t";
        for (store, good, bad) in [
            (
                ObjectStore::S3,
                vec!["s3://b", "s3://b/t"],
                vec!["s3a://b/t", "gs://b/t", "s3:///t", "b/t", ""],
            ),
            (
                ObjectStore::Gcs,
                vec!["gs://b/t"],
                vec!["s3://b/t", "GS://b", "gs://b t"],
            ),
            (
                ObjectStore::AzureBlob,
                vec![azure, "wasb://c@127.0.0.1:10000/t"],
                vec!["wasbs://c/t", "wasb://@h/t"],
            ),
        ] {
            for location in good {
                assert!(store.holds(location), "{location}");
            }
            for location in bad {
                assert!(!store.holds(location), "{location}");
            }
        }
    }
}
