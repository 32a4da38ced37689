//! Resources from a folder to the codec that is judged by them: `nervix apply` against both stores.

use std::path::Path;
use std::process::Output;

use nervix_tests::etcd::Etcd;
use nervix_tests::proxy::Proxy;
use nervix_tests::server::{Nervix, text};
use nervix_tests::wait::must;

const EVENT: &str = "syntax = \"proto3\";\npackage shop;\nmessage Event {\n  string id = 1;\n}\n";

const SCRIPT: &str = "
CREATE DOMAIN shop;
USE shop;
BEGIN;
CREATE SCHEMA event (id STRING);
CREATE RESOURCE protos;
COMMIT;
UPLOAD RESOURCE protos VERSION './protos';
CREATE CODEC events FROM PROTOBUF USING RESOURCE protos CONFIG {'file' = 'event.proto'} MESSAGE 'shop.Event'
  TO SCHEMA event WITH JAQ TRANSFORMATIONS ON EMITTING '.';
";

fn write(server: &Nervix, path: &str, content: &str) {
    let path = server.folder().join("scripts").join(path);
    let folder = path.parent().unwrap_or(Path::new(""));
    must("make a folder", std::fs::create_dir_all(folder));
    must("write a file", std::fs::write(path, content));
}

fn apply(server: &Nervix, script: &str) -> (bool, String) {
    write(server, "script.nspl", script);
    shown(&server.command(&["apply", "scripts/script.nspl"]))
}

fn exec(server: &Nervix, statement: &str) -> String {
    let (accepted, printed) = shown(&server.command(&["exec", "--domain", "shop", statement]));
    assert!(accepted, "{statement}: {printed}");
    printed
}

fn shown(output: &Output) -> (bool, String) {
    let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
    (output.status.success(), printed)
}

/// What has to hold with any store.
fn codecs_are_judged_by_what_a_script_uploads(server: &Nervix) {
    write(
        server,
        "protos/event.proto",
        &EVENT.replace("string id", "strng id"),
    );
    let (accepted, printed) = apply(server, SCRIPT);
    assert!(!accepted, "{printed}");
    assert!(
        printed.contains("event.proto:4") && printed.contains("E1511"),
        "{printed}"
    );
    let (_, domains) = shown(&server.command(&["exec", "SHOW DOMAINS;"]));
    assert!(!domains.contains("shop"), "nothing of it ran: {domains}");

    write(server, "protos/event.proto", EVENT);
    let (accepted, printed) = apply(server, &SCRIPT.replace("shop.Event", "shop.Evnt"));
    assert!(!accepted && printed.contains("E1512"), "{printed}");
    assert!(printed.contains("shop.Event"), "{printed}");

    let (accepted, printed) = apply(server, SCRIPT);
    assert!(accepted, "{printed}");
    assert!(printed.contains("version 1"), "{printed}");
    let pinned = "USING RESOURCE protos VERSION 1\n";
    let stored = exec(server, "SHOW CREATE CODEC events;");
    assert!(stored.contains(pinned), "{stored}");

    write(server, "protos/event.proto", &EVENT.replace("Event", "Renamed"));
    let later = "USE shop; UPLOAD RESOURCE protos VERSION 'protos';";
    let (accepted, printed) = apply(server, later);
    assert!(accepted && printed.contains("version 2"), "{printed}");
    let stored = exec(server, "SHOW CREATE CODEC events;");
    assert!(stored.contains(pinned), "{stored}");
    let described = exec(server, "DESCRIBE CODEC events;");
    assert!(described.contains("resource: protos version 1"), "{described}");
    let (accepted, printed) = shown(&server.command(&[
        "exec",
        "--domain",
        "shop",
        "CREATE CODEC more FROM PROTOBUF USING RESOURCE protos CONFIG {} MESSAGE 'shop.Event' TO SCHEMA event \
         WITH JAQ TRANSFORMATIONS ON EMITTING '.';",
    ]));
    assert!(!accepted && printed.contains("shop.Renamed"), "{printed}");
    let versions = exec(server, "DESCRIBE RESOURCE protos;");
    assert!(
        versions.contains("version 1: 1 files") && versions.contains("version 2: 1 files"),
        "{versions}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_uploads_the_files_that_its_codec_is_judged_by() {
    let mut server = Nervix::dev_with_store().await;
    codecs_are_judged_by_what_a_script_uploads(&server);
    server.process().kill();
    server.start_again().await;
    let stored = exec(&server, "SHOW CREATE CODEC events;");
    assert!(stored.contains("VERSION 1\n"), "{stored}");
    let (accepted, printed) = apply(
        &server,
        "USE shop; CREATE CODEC again FROM PROTOBUF USING RESOURCE protos VERSION 1 CONFIG {} MESSAGE 'shop.Event'
           TO SCHEMA event WITH JAQ TRANSFORMATIONS ON EMITTING '.';",
    );
    assert!(accepted, "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_uploads_the_files_that_its_codec_is_judged_by_on_etcd() {
    let etcd = Etcd::start().await;
    let server = Nervix::start(&["control-plane", "--store", &etcd.store_url()]).await;
    codecs_are_judged_by_what_a_script_uploads(&server);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folders_with_what_is_no_file_are_refused_and_leave_nothing() {
    let server = Nervix::dev().await;
    server.exec("CREATE DOMAIN shop; USE shop; CREATE RESOURCE files;");
    let folder = server.folder().join("scripts");
    must("make folders", std::fs::create_dir_all(folder.join("linked")));
    must(
        "make folders",
        std::fs::create_dir_all(folder.join("empty/below")),
    );
    must("write a file", std::fs::write(folder.join("linked/a"), "a"));
    let link = std::os::unix::fs::symlink("/dev/zero", folder.join("linked/b"));
    must("make a link", link);
    for (name, why) in [
        ("linked", "neither a file nor a folder"),
        ("empty", "at least one file"),
        ("nothing", "there is no folder"),
    ] {
        let script = format!("USE shop; UPLOAD RESOURCE files VERSION '{name}';");
        let (accepted, printed) = apply(&server, &script);
        assert!(!accepted && printed.contains(why), "{name}: {printed}");
    }
    let described = exec(&server, "DESCRIBE RESOURCE files;");
    assert!(!described.contains("version"), "{described}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_the_machine_are_for_dev_and_those_of_mounts_for_a_cluster() {
    let script = |path: &str| {
        format!(
            "CREATE DOMAIN d; USE d; BEGIN; CREATE RESOURCE tls;
             CREATE CLIENT c TYPE NATS MOUNT tls VERSION LATEST CONFIG {{'addr' = 'tls://h', 'tls_ca_file' = '{path}'}}; COMMIT;"
        )
    };
    let dev = Nervix::dev().await;
    let (accepted, printed) = apply(&dev, &script("/etc/ca.pem"));
    assert!(accepted, "{printed}");
    let control = Nervix::start(&["control-plane", "--store", "store"]).await;
    let (accepted, printed) = apply(&control, &script("/etc/ca.pem"));
    assert!(!accepted && printed.contains("E1411"), "{printed}");
    let (accepted, printed) = apply(&control, &script("{{ tls }}/ca.pem"));
    assert!(accepted, "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_goes_in_the_middle_of_a_script_leaves_what_ran_and_what_is_not_known() {
    let server = Nervix::dev().await;
    write(&server, "files/large", &"x".repeat(1_000_000));
    let script =
        "CREATE DOMAIN d; USE d; CREATE RESOURCE r; UPLOAD RESOURCE r VERSION './files'; CREATE DOMAIN e;";
    write(&server, "script.nspl", script);
    let proxy = Proxy::before(&server.ports().control).await;
    proxy.cut_after(100_000);
    let applied = server.command(&["apply", "--server", proxy.address(), "scripts/script.nspl"]);
    let (_, printed) = shown(&applied);
    assert_eq!(applied.status.code(), Some(2), "{printed}");
    let unanswered = format!("not known: UPLOAD RESOURCE r: no answer from {}", proxy.address());
    for said in ["ok: CREATE RESOURCE r", &unanswered, "not run: 1 statement"] {
        assert!(printed.contains(said), "`{said}` is missing: {printed}");
    }
}
