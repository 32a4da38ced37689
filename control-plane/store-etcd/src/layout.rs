//! The keys and the small values of the store. Numbers in keys have 20 digits, so that keys sort as they count.

use nervix_store::{BlobId, Revision, StoreError};

/// The form of keys and values that this release writes.
pub(crate) const FORMAT: u64 = 1;

/// Bytes of a chunk of a body; etcd takes requests of up to 1.5 MiB.
pub(crate) const CHUNK_BYTES: usize = 512 * 1024;

/// Where in etcd a store lives.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    prefix: String,
}

/// One stored body: a commit's changes, or a whole state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    /// Unique among all bodies.
    pub(crate) id: String,
    pub(crate) chunks: usize,
    pub(crate) bytes: usize,
}

/// Where the store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) revision: Revision,
    /// etcd's revision of the head key; 0 while there is none.
    pub(crate) moved_at: i64,
}

impl Layout {
    pub(crate) fn new(prefix: &str) -> Self {
        let prefix = prefix.trim_end_matches('/');
        Self {
            prefix: format!("{prefix}/"),
        }
    }

    pub(crate) fn format(&self) -> String {
        format!("{}format", self.prefix)
    }

    pub(crate) fn head(&self) -> String {
        format!("{}head", self.prefix)
    }

    pub(crate) fn log(&self, revision: Revision) -> String {
        format!("{}log/{:020}", self.prefix, revision.0)
    }

    pub(crate) fn whole(&self, revision: Revision) -> String {
        format!("{}whole/{:020}", self.prefix, revision.0)
    }

    /// The chunks of all commits' bodies made for a revision or a later one begin here.
    pub(crate) fn bodies_from(&self, base: Revision) -> String {
        format!("{}body/{:020}", self.prefix, base.0)
    }

    /// The chunks of one body begin with it.
    pub(crate) fn body(&self, base: Revision, id: &str) -> String {
        format!("{}body/{:020}-{id}/", self.prefix, base.0)
    }

    pub(crate) fn states_from(&self, revision: Revision) -> String {
        format!("{}state/{:020}", self.prefix, revision.0)
    }

    pub(crate) fn state(&self, revision: Revision, id: &str) -> String {
        format!("{}state/{:020}-{id}/", self.prefix, revision.0)
    }

    pub(crate) fn blobs(&self) -> String {
        format!("{}blob/", self.prefix)
    }

    pub(crate) fn blob(&self, blob: &BlobId) -> String {
        format!("{}blob/{blob}/", self.prefix)
    }

    /// A chunk of what begins with `of`.
    pub(crate) fn chunk(of: &str, index: usize) -> String {
        format!("{of}{index:010}")
    }

    /// The revision at the end of a key of `log/` or `whole/`.
    pub(crate) fn revision_of(key: &str) -> Result<Revision, StoreError> {
        let digits = key.rsplit('/').next().unwrap_or_default();
        digits.parse().map(Revision).map_err(|_| unreadable(key))
    }

    /// Base (or revision) and id in a key of a chunk of `body/` or `state/`.
    pub(crate) fn owner_of(key: &str) -> Result<(Revision, &str), StoreError> {
        let mut parts = key.rsplit('/');
        let name = parts.nth(1).and_then(|name| name.split_once('-'));
        let (revision, id) = name.ok_or_else(|| unreadable(key))?;
        Ok((Revision(revision.parse().map_err(|_| unreadable(key))?), id))
    }
}

impl Body {
    /// `id chunks bytes`.
    pub(crate) fn write(&self) -> String {
        format!("{} {} {}", self.id, self.chunks, self.bytes)
    }

    pub(crate) fn read(value: &[u8]) -> Result<Self, StoreError> {
        let read = || {
            let mut parts = std::str::from_utf8(value).ok()?.split(' ');
            let body = Self {
                id: parts.next()?.into(),
                chunks: parts.next()?.parse().ok()?,
                bytes: parts.next()?.parse().ok()?,
            };
            parts.next().is_none().then_some(body)
        };
        read().ok_or_else(|| unreadable("the description of a body"))
    }
}

pub(crate) fn unreadable(what: &str) -> StoreError {
    StoreError::Corrupt {
        what: format!("{what} cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use nervix_store::Revision;

    use super::{Body, Layout};

    #[test]
    fn keys_sort_as_revisions_count_and_read_back() {
        let layout = Layout::new("/nervix/");
        assert!(layout.log(Revision(9)) < layout.log(Revision(10)));
        assert_eq!(
            Layout::revision_of(&layout.log(Revision(12))).unwrap(),
            Revision(12)
        );
        let chunk = Layout::chunk(&layout.body(Revision(7), "a-b"), 3);
        assert_eq!(Layout::owner_of(&chunk).unwrap(), (Revision(7), "a-b"));
        assert!(chunk >= layout.bodies_from(Revision(7)) && chunk < layout.bodies_from(Revision(8)));
    }

    #[test]
    fn a_description_reads_back() {
        let body = Body {
            id: "x".into(),
            chunks: 3,
            bytes: 1_048_577,
        };
        assert_eq!(Body::read(body.write().as_bytes()).unwrap(), body);
        assert!(Body::read(b"x 3").is_err());
        assert!(Body::read(b"x 3 4 5").is_err());
    }
}
