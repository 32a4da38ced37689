//! Files of resources that an HTTP emitter uses where it runs: what its codec is compiled from, and what its CLIENT mounts.

use nervix_proto::client::v1::answer::Status;
use nervix_tests::authority::Authority;
use nervix_tests::http_endpoint::{HttpEndpoint, Reply};
use nervix_tests::server::{Nervix, text};
use nervix_tests::wait::must;

use crate::http_graph::{HttpGraph, calls, post};
use crate::outside::write;

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

/// Uploads what a client needs whose servers have certificates of the one authority, and which shows one of the other.
fn upload_files(server: &Nervix, servers: &Authority, clients: &Authority) {
    let issued = clients.issue(&["app"]);
    let files = [
        ("ca.pem", servers.pem()),
        ("client.pem", issued.certificate),
        ("client.key", issued.key),
    ];
    upload(
        server,
        "files",
        &files.each_ref().map(|(name, content)| (*name, content.as_str())),
    );
}

/// Makes the emitter one by a client that mounts the first version of those files.
fn set_secure_client(port: u16) -> String {
    format!(
        "USE d;
         BEGIN;
         CREATE CLIENT secure TYPE HTTP MOUNT files VERSION 1 CONFIG {{
           'endpoint' = 'https://localhost:{port}', 'timeout_ms' = 20000,
           'tls_ca_file' = '{{{{ files }}}}/ca.pem', 'tls_cert_file' = '{{{{ files }}}}/client.pem',
           'tls_key_file' = '{{{{ files }}}}/client.key' }};
         ALTER EMITTER outbox SET CLIENT secure;
         COMMIT;"
    )
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
    assert_eq!(write(&server, calls(&[post("/1")])).await, [Status::Done]);
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
    upload_files(&server, &servers, &clients);
    // A later version is nothing to a client that has pinned the first.
    upload_files(&server, &others, &others);
    server.exec(&set_secure_client(endpoint.port()));
    assert_eq!(write(&server, calls(&[post("/1")])).await, [Status::Done]);
    assert_eq!(endpoint.received().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mounted_file_reaches_the_worker_of_another_process() {
    let (servers, clients) = (Authority::new(), Authority::new());
    let config = Authority::server(&servers.issue(&["localhost"]), Some(&clients));
    let endpoint = HttpEndpoint::start_tls(config, |_, _| Reply::status(200)).await;
    let control = Nervix::start(&["control-plane", "--store", "store"]).await;
    let worker = Nervix::start(&["worker", "--server", &control.ports().control]).await;
    control.exec(&HttpGraph::to_url("http://127.0.0.1:1".to_owned()).script());
    control.exec("USE d; CREATE RESOURCE files;");
    upload_files(&control, &servers, &clients);
    control.exec(&set_secure_client(endpoint.port()));
    assert_eq!(write(&worker, calls(&[post("/1")])).await, [Status::Done]);
    assert_eq!(endpoint.received().await.len(), 1);
}
