//! Blobs: chunks read back as written, until the blob is removed.

use bytes::Bytes;

use crate::{BLOB_CHUNK_BYTES_MAX, BlobId, Revision, Store, StoreError};

pub(super) async fn a_blob_reads_back_by_chunks(store: &dyn Store) -> Result<(), StoreError> {
    let (one, other) = (BlobId::new("blob-1")?, BlobId::new("blob-10")?);
    for index in 0..5_u8 {
        let chunk = Bytes::from(vec![index; BLOB_CHUNK_BYTES_MAX]);
        store.put_chunk(one.clone(), index.into(), chunk).await?;
    }
    store
        .put_chunk(other.clone(), 0, Bytes::from_static(b"x"))
        .await?;
    store
        .put_chunk(other.clone(), 0, Bytes::from_static(b"y"))
        .await?;
    assert_eq!(store.chunk(one.clone(), 3).await?, vec![3; BLOB_CHUNK_BYTES_MAX]);
    let past = store.chunk(one.clone(), 5).await;
    assert!(
        matches!(past, Err(StoreError::NoChunk { index: 5, .. })),
        "{past:?}"
    );
    let too_large = Bytes::from(vec![0; BLOB_CHUNK_BYTES_MAX + 1]);
    let refused = store.put_chunk(one.clone(), 6, too_large).await;
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
    assert_eq!(store.blobs().await?, vec![one.clone(), other.clone()]);
    store.remove_blob(one.clone()).await?;
    store.remove_blob(one.clone()).await?;
    assert!(store.chunk(one, 0).await.is_err());
    assert_eq!(store.chunk(other.clone(), 0).await?, Bytes::from_static(b"y"));
    assert_eq!(store.blobs().await?, vec![other]);
    assert_eq!(store.head().await?, Revision(0), "blobs make no revision");
    Ok(())
}
