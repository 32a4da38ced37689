//! Uploading versions of a resource.

use nervix_proto::v1::{
    UploadBegin, UploadFile, UploadResourceRequest, UploadResourceResponse, upload_resource_request::Body,
};
use tonic::{Code, Status};

use crate::harness::{Control, Outcome};

fn begin(resource: &str) -> Body {
    Body::Begin(UploadBegin {
        domain: "d".into(),
        resource: resource.into(),
    })
}

fn file(path: &str) -> Body {
    Body::File(UploadFile { path: path.into() })
}

fn chunk(bytes: &[u8]) -> Body {
    Body::Chunk(bytes.to_vec().into())
}

async fn upload(control: &mut Control, bodies: Vec<Body>) -> Result<UploadResourceResponse, Status> {
    let requests = bodies
        .into_iter()
        .map(|body| UploadResourceRequest { body: Some(body) });
    let stream = futures::stream::iter(requests.collect::<Vec<_>>());
    control
        .client
        .upload_resource(stream)
        .await
        .map(tonic::Response::into_inner)
}

#[tokio::test]
async fn versions_count_up_and_the_order_of_files_does_not_matter() -> Outcome {
    let mut control = Control::in_memory().await?;
    control
        .ok("", "CREATE DOMAIN d; USE d; CREATE RESOURCE files;")
        .await?;
    let large = vec![7; 1024 * 1024];
    let first = upload(
        &mut control,
        vec![
            begin("files"),
            file("a/b"),
            chunk(&large),
            chunk(&large),
            file("c"),
            chunk(b"x"),
        ],
    )
    .await?;
    assert_eq!((first.version, first.size_bytes), (1, 2 * 1024 * 1024 + 1));
    let second = upload(
        &mut control,
        vec![
            begin("files"),
            file("c"),
            chunk(b"x"),
            file("a/b"),
            chunk(&large),
            chunk(&large),
        ],
    )
    .await?;
    assert_eq!(second.version, 2);
    assert_eq!(first.checksum.len(), 64);
    assert_eq!(first.checksum, second.checksum);
    let other = upload(&mut control, vec![begin("files"), file("c"), chunk(b"y")]).await?;
    assert_ne!(other.checksum, first.checksum);
    Ok(())
}

#[tokio::test]
async fn what_is_no_upload_is_refused_by_name() -> Outcome {
    let mut control = Control::in_memory().await?;
    control
        .ok("", "CREATE DOMAIN d; USE d; CREATE RESOURCE files;")
        .await?;
    let cases = [
        (
            vec![begin("nope"), file("a")],
            Code::NotFound,
            "CREATE RESOURCE nope",
        ),
        (vec![file("a")], Code::InvalidArgument, "begin"),
        (vec![begin("files"), chunk(b"x")], Code::InvalidArgument, "file"),
        (
            vec![begin("files"), file("../etc/passwd")],
            Code::InvalidArgument,
            "relative",
        ),
        (
            vec![begin("files"), file("a"), file("a")],
            Code::InvalidArgument,
            "twice",
        ),
        (
            vec![begin("files"), file("a"), begin("files")],
            Code::InvalidArgument,
            "once",
        ),
        (vec![begin("files")], Code::InvalidArgument, "at least one file"),
        (
            vec![begin("files"), file("a"), chunk(&vec![0; 1024 * 1024 + 1])],
            Code::InvalidArgument,
            "1048577",
        ),
    ];
    for (bodies, code, part) in cases {
        let Err(refused) = upload(&mut control, bodies).await else {
            panic!("{part}: accepted")
        };
        assert_eq!(refused.code(), code, "{refused}");
        assert!(refused.message().contains(part), "{refused}");
    }
    let stored = upload(&mut control, vec![begin("files"), file("a"), chunk(b"x")]).await?;
    assert_eq!(stored.version, 1);
    Ok(())
}
