//! `TO ICEBERG ON <store> c TABLE t` (emitters.txt "Iceberg", rulings section 7).

use nspl_model::{ClientKind, CommitPolicy, IcebergSinkDef, IcebergTable, ObjectStore};
use nspl_syntax::sink::iceberg::{Backend, Commit, IcebergSink};

use super::Resolver;
use crate::quantity::{duration, size};
use crate::rules;

impl Resolver<'_> {
    pub(super) fn iceberg_sink(&mut self, tree: &IcebergSink) -> Option<IcebergSinkDef> {
        let store = match tree.backend.node {
            Backend::S3 => ObjectStore::S3,
            Backend::Gcs => ObjectStore::Gcs,
            Backend::AzureBlob => ObjectStore::AzureBlob,
        };
        let client = self.client(&tree.client, store.client());
        let catalog = self.client(&tree.catalog, ClientKind::IcebergRest);
        let table = match IcebergTable::parse(&tree.table.text) {
            Ok(table) => Some(table),
            Err(why) => {
                self.faults
                    .push(rules::external_name::fault(tree.table.span, "TABLE", &why));
                None
            }
        };
        let located = store.holds(&tree.location.value);
        if !located {
            self.faults
                .push(rules::iceberg_location::fault(tree.location.span, store));
        }
        let commit = self.commit(&tree.commit);
        Some(IcebergSinkDef {
            store,
            client: client?,
            catalog: catalog?,
            table: table?,
            location: located.then(|| tree.location.value.clone())?,
            commit: commit?,
        })
    }

    fn commit(&mut self, tree: &Commit) -> Option<CommitPolicy> {
        let each = duration(&tree.each, "COMMIT EACH", &mut self.faults);
        let max_bytes = size(&tree.max_size, "MAX SIZE of COMMIT EACH", &mut self.faults);
        Some(CommitPolicy {
            each: each?,
            max_bytes: max_bytes?,
        })
    }
}
