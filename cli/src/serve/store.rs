//! The catalog store, by its argument: a folder of this machine, memory, or etcd.

use std::{path::Path, sync::Arc};

use nervix_store::{EmbeddedStore, Store, StoreError};

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

/// Removes the store in a folder, also one that is damaged or of another release. One that another process has open is not
/// pulled from under it, and a file that is no store is left alone.
pub(super) fn forget(folder: &Path) -> Result<(), Failure> {
    let file = folder.join(FILE);
    match EmbeddedStore::open(&file) {
        Ok(_) | Err(StoreError::Format { .. } | StoreError::Corrupt { .. }) => {}
        Err(foreign @ StoreError::Foreign { .. }) => {
            let text =
                format!("{foreign}: --reset forgets stores alone; move that file away and start again");
            return Err(Failure::Usage(text));
        }
        Err(other) => return Err(other.into()),
    }
    std::fs::remove_file(&file).map_err(Failure::io(file.display().to_string()))
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
    use super::{FILE, forget, in_folder, named};

    #[test]
    fn a_damaged_store_can_be_forgotten_and_a_file_that_is_none_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        drop(in_folder(folder.path()).unwrap());
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        assert!(in_folder(folder.path()).is_err());
        forget(folder.path()).unwrap();
        assert!(!file.exists());
        drop(in_folder(folder.path()).unwrap());
        std::fs::File::create(&file).unwrap();
        let lost = in_folder(folder.path()).err().map(|failure| failure.to_string());
        assert!(lost.is_some_and(|text| text.contains("no bytes") && text.contains("restore")));
        forget(folder.path()).unwrap();
        drop(in_folder(folder.path()).unwrap());
        forget(folder.path()).unwrap();
        std::fs::write(&file, "notes of a person".repeat(1000)).unwrap();
        let refused = forget(folder.path()).unwrap_err().to_string();
        assert!(refused.contains(FILE) && refused.contains("move"), "{refused}");
        assert!(file.exists());
    }

    #[tokio::test]
    async fn a_store_that_is_neither_a_folder_nor_etcd_is_refused() {
        let refused = named("redis://u:hush@a:1")
            .await
            .err()
            .map(|failure| failure.to_string());
        assert!(refused.is_some_and(|text| text.contains("etcd://") && !text.contains("hush")));
    }
}
