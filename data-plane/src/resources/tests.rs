use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::StreamExt;
use futures::future::BoxFuture;
use nervix_resource::resource_checksum;
use sha2::{Digest, Sha256};

use super::{Contents, Manifest, Origin, ResourceError, Resources, VersionId};

/// Serves one version in chunks of three bytes.
struct Shelf {
    manifest: Manifest,
    bytes: Vec<u8>,
    reads: AtomicUsize,
}

impl Shelf {
    fn new(files: &[(&str, &str)]) -> Self {
        let hashes: BTreeMap<String, Sha256> = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), Sha256::new_with_prefix(text)))
            .collect();
        let sizes = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.len() as u64));
        Self {
            manifest: Manifest {
                checksum: resource_checksum(hashes),
                files: sizes.collect(),
            },
            bytes: files.iter().flat_map(|(_, text)| text.bytes()).collect(),
            reads: AtomicUsize::new(0),
        }
    }
}

impl Origin for Shelf {
    fn read(&self, _version: &VersionId) -> BoxFuture<'static, Result<(Manifest, Contents), ResourceError>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let chunks: Vec<_> = self.bytes.chunks(3).map(Bytes::copy_from_slice).map(Ok).collect();
        let contents = futures::stream::iter(chunks).boxed();
        Box::pin(std::future::ready(Ok((self.manifest.clone(), contents))))
    }
}

fn version() -> VersionId {
    VersionId {
        domain: "shop".into(),
        resource: "tls".to_owned(),
        version: 3,
    }
}

fn resources(shelf: &Arc<Shelf>, place: &tempfile::TempDir) -> Resources {
    let origin: Arc<dyn Origin> = Arc::<Shelf>::clone(shelf);
    Resources::new(origin, place.path().to_owned())
}

#[tokio::test]
async fn a_version_is_fetched_once_and_goes_with_its_last_holder() {
    let shelf = Arc::new(Shelf::new(&[
        ("a/ca.pem", "certificate"),
        ("empty", ""),
        ("key.pem", "k"),
    ]));
    let place = tempfile::tempdir().unwrap();
    let resources = resources(&shelf, &place);
    let of = version();
    let (one, other) = tokio::join!(resources.folder(&of), resources.folder(&of));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(shelf.reads.load(Ordering::Relaxed), 1);
    let path = one.path().to_owned();
    assert_eq!(path, other.path());
    assert_eq!(
        std::fs::read_to_string(path.join("a/ca.pem")).unwrap(),
        "certificate"
    );
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "nobody else looks into it");
    let map = one.read().await.unwrap();
    assert_eq!(map.len(), 3);
    assert_eq!(map.get("key.pem").map(Vec::as_slice), Some(&b"k"[..]));
    drop((one, other));
    assert!(!path.exists());
    let again = resources.folder(&of).await.unwrap();
    assert_eq!(shelf.reads.load(Ordering::Relaxed), 2);
    assert!(again.path().exists());
}

#[tokio::test]
async fn what_is_not_what_was_uploaded_is_never_seen() {
    let place = tempfile::tempdir().unwrap();
    let mut changed = Shelf::new(&[("ca.pem", "certificate")]);
    changed.bytes[0] = b'C';
    let mut longer = Shelf::new(&[("ca.pem", "certificate")]);
    longer.bytes.push(b'!');
    let mut shorter = Shelf::new(&[("ca.pem", "certificate")]);
    shorter.bytes.pop();
    let outside = Shelf::new(&[("../ca.pem", "certificate")]);
    for shelf in [changed, longer, shorter, outside] {
        let refused = resources(&Arc::new(shelf), &place).folder(&version()).await;
        assert_eq!(refused.err(), Some(ResourceError::Damaged(version())));
    }
    assert_eq!(
        std::fs::read_dir(place.path()).unwrap().count(),
        0,
        "nothing is left"
    );
}
