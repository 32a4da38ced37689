//! The catalog store, by its argument: a folder of this machine, memory, or etcd.

use std::{path::Path, sync::Arc};

use nervix_store::{EmbeddedStore, Store};

use crate::exit::Failure;

/// The store's file in its folder.
pub(super) const FILE: &str = "catalog.redb";
const ETCD: &str = "etcd://";

/// A store that is gone with the process.
pub(super) fn in_memory() -> Result<Arc<dyn Store>, Failure> {
    Ok(Arc::new(EmbeddedStore::in_memory()?))
}

/// The store in a folder, which is made when it is not there.
pub(super) fn in_folder(folder: &Path) -> Result<Arc<dyn Store>, Failure> {
    Ok(Arc::new(EmbeddedStore::open(folder.join(FILE))?))
}

/// The store that `--store` names: a folder, or `etcd://host:port,...[/prefix]`.
pub(super) async fn named(name: &str) -> Result<Arc<dyn Store>, Failure> {
    match name {
        _ if name.starts_with(ETCD) => etcd(name).await,
        // It is not quoted, since it may hold a password.
        _ if name.contains("://") => Err(Failure::Usage(
            "--store takes a folder or etcd://host:port,..., not an address of another scheme".to_owned(),
        )),
        _ => in_folder(Path::new(name)),
    }
}

#[cfg(feature = "etcd")]
async fn etcd(address: &str) -> Result<Arc<dyn Store>, Failure> {
    Ok(Arc::new(nervix_store_etcd::EtcdStore::open(address).await?))
}

#[cfg(not(feature = "etcd"))]
async fn etcd(_address: &str) -> Result<Arc<dyn Store>, Failure> {
    Err(Failure::Usage(
        "this nervix was built without the cluster store: build it with `cargo build -p nervix --features etcd`, \
         or name a folder with --store"
            .to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[tokio::test]
    async fn a_store_that_is_neither_a_folder_nor_etcd_is_refused() {
        let refused = named("redis://u:hush@a:1")
            .await
            .err()
            .map(|failure| failure.to_string());
        assert!(refused.is_some_and(|text| text.contains("etcd://") && !text.contains("hush")));
    }
}
