//! Files of resources that an HTTP emitter uses where it runs: what its codec is compiled from, and what its CLIENT mounts.

use nervix_proto::client::v1::answer::Status;
use nervix_tests::authority::Authority;
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};
use nervix_tests::server::{Nervix, text};
use nervix_tests::wait::must;

use crate::http_graph::{HttpGraph, calls, post, write};

const EVENT: &str = "syntax = \"proto3\";\npackage shop;\nmessage Event {\n  string id = 1;\n}\n";

/// Uploads files as the next version of a resource.
fn upload(server: &Nervix, resource: &str, files: &[(&str, &str)]) {
    let folder = server.folder().join("scripts").join(resource);
    must("make a folder", std::fs::create_dir_all(&folder));
    for (name, content) in files {
        must("write a file", std::fs::write(folder.join(name), content));
    }
    let script = server.folder().join("scripts/upload.nspl");
    let statement = format!("USE d; UPLOAD RESOURCE {resource} VERSION './{resource}';");
    must("write a script", std::fs::write(script, statement));
    let applied = server.command(&["apply", "scripts/upload.nspl"]);
    assert!(applied.status.success(), "{}", text(&applied.stderr));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_are_written_by_the_proto_file_of_an_uploaded_resource() {
    let endpoint = HttpEndpoint::start(|_, _| Reply::status(200)).await;
    let server = HttpGraph::to(&endpoint).serve().await;
    server.exec("USE d; CREATE RESOURCE protos;");
    upload(&server, "protos", &[("event.proto", EVENT)]);
    server.exec(
        "USE d;
         BEGIN;
         CREATE CODEC shaped FROM PROTOBUF USING RESOURCE protos CONFIG {'file' = 'event.proto'} MESSAGE 'shop.Event'
           TO SCHEMA event WITH JAQ TRANSFORMATIONS ON EMITTING '{id: .event_id}';
         ALTER EMITTER outbox SET ENCODE USING shaped;
         COMMIT;",
    );
    assert_eq!(write(&server, calls(&[post("/1")])).await, [(0, Status::Done)]);
    let received = endpoint.until_received(1).await;
    assert_eq!(received[0].body, b"\x0a\x02e1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_reads_its_certificates_from_the_version_that_it_mounts() {
    let (servers, clients, others) = (Authority::new(), Authority::new(), Authority::new());
    let config = Authority::server(&servers.issue(&["localhost"]), Some(&clients));
    let endpoint = HttpEndpoint::start_tls(config, |_, _| Reply::status(200)).await;
    let server = HttpGraph::to_url("http://127.0.0.1:1".to_owned()).serve().await;
    server.exec("USE d; CREATE RESOURCE files;");
    let files = |authority: &Authority, clients: &Authority| {
        let issued = clients.issue(&["app"]);
        [authority.pem(), issued.certificate, issued.key]
    };
    let names = ["ca.pem", "client.pem", "client.key"];
    let version = |contents: &[String; 3]| {
        let files: Vec<(&str, &str)> = names
            .into_iter()
            .zip(contents.iter().map(String::as_str))
            .collect();
        upload(&server, "files", &files);
    };
    version(&files(&servers, &clients));
    // A later version is nothing to a client that has pinned the first.
    version(&files(&others, &others));
    server.exec(&format!(
        "USE d;
         BEGIN;
         CREATE CLIENT secure TYPE HTTP MOUNT files VERSION 1 CONFIG {{
           'endpoint' = 'https://localhost:{}', 'timeout_ms' = 20000,
           'tls_ca_file' = '{{{{ files }}}}/ca.pem', 'tls_cert_file' = '{{{{ files }}}}/client.pem',
           'tls_key_file' = '{{{{ files }}}}/client.key' }};
         ALTER EMITTER outbox SET CLIENT secure;
         COMMIT;",
        endpoint.port()
    ));
    assert_eq!(write(&server, calls(&[post("/1")])).await, [(0, Status::Done)]);
    assert_eq!(endpoint.received().await.len(), 1);
}
