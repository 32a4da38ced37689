//! `error.reference` (companion section 6): one uuid v7 for each failure, its time the snapshot's.

use nervix_clock::Snapshot;
use uuid::{Builder, Uuid};

/// A new reference.
pub(crate) fn reference(snapshot: &Snapshot) -> String {
    let mut random = [0; 10];
    random.copy_from_slice(&Uuid::new_v4().as_bytes()[..10]);
    let millis = u64::try_from(snapshot.domain_time.0 / 1_000_000).unwrap_or(0);
    Builder::from_unix_timestamp_millis(millis, &random)
        .into_uuid()
        .to_string()
}

#[cfg(test)]
mod tests {
    use nervix_clock::{DomainTime, Snapshot};

    use super::reference;

    #[test]
    fn references_are_uuids_of_version_7_that_differ() {
        let snapshot = Snapshot {
            domain_time: DomainTime(1_700_000_000_000_000_000),
            seed: [0; 32],
        };
        let (one, other) = (reference(&snapshot), reference(&snapshot));
        assert_ne!(one, other);
        assert_eq!(uuid::Uuid::parse_str(&one).unwrap().get_version_num(), 7);
        assert!(one.starts_with("018bcfe5-6800"));
    }
}
