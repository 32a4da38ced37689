//! The checksum of a version of a resource: the same for whoever stores it, shows it, or fetches it.
//!
//! Invariant: two versions have one checksum only when they have the same files under the same paths. Deliberately absent:
//! where files are kept, how they travel, and which paths are taken.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// Over each path, a zero byte and the digest of its file, in the order of the paths: lower-case hexadecimal SHA-256.
pub fn resource_checksum(files: BTreeMap<String, Sha256>) -> String {
    let mut all = Sha256::new();
    for (path, hash) in files {
        all.update(path.as_bytes());
        all.update([0]);
        all.update(hash.finalize());
    }
    all.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sha2::{Digest, Sha256};

    use super::resource_checksum;

    #[test]
    fn paths_and_contents_count() {
        let of = |path: &str, bytes: &str| {
            resource_checksum(BTreeMap::from([(
                path.to_owned(),
                Sha256::new_with_prefix(bytes),
            )]))
        };
        assert_eq!(of("a", "x").len(), 64);
        assert_ne!(of("a", "x"), of("a", "y"));
        assert_ne!(of("a", "x"), of("b", "x"));
    }
}
