//! Files of a table lie in the store that ON names (rulings section 7).

use nspl_model::ObjectStore;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1271",
    title: "LOCATION has a scheme of its object store, and a bucket",
    fails: direct_example!(
        "ICEBERG ON S3 s3 TABLE 'shop.orders' VALUES {'id' = id} LOCATION 'gs://b/orders' CATALOG catalog COMMIT EACH 1m MAX SIZE 512MiB",
        ""
    ),
    passes: direct_example!(
        "ICEBERG ON S3 s3 TABLE 'shop.orders' VALUES {'id' = id} LOCATION 's3://b/orders' CATALOG catalog COMMIT EACH 1m MAX SIZE 512MiB",
        ""
    ),
};

/// The store has no such location.
pub(crate) fn fault(place: Span, store: ObjectStore) -> Diagnostic {
    RULE.fault(place, format!("this is no location in {}", store.client()))
        .help(format!("write such as '{}'", store.example()))
}
