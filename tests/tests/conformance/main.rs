//! The conformance suite on real destinations: one file each, named by its crate under `data-plane/sinks`.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod http;
mod kafka;
mod postgres;

use std::path::Path;

/// A crate that opens sinks has its module here, so that no destination passes the suite by.
#[test]
fn every_destination_runs_the_suite() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace");
    let modules = include_str!("main.rs");
    let crates = std::fs::read_dir(root.join("data-plane/sinks")).expect("the destinations");
    let mut without = Vec::new();
    for entry in crates {
        let folder = entry.expect("a folder").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let code = std::fs::read_to_string(folder.join("src/lib.rs")).unwrap_or_default();
        let connects = code.contains("connect");
        if name != "client" && connects && !modules.contains(&format!("\nmod {name};\n")) {
            without.push(name);
        }
    }
    assert!(
        without.is_empty(),
        "{without:?} have no module in tests/tests/conformance"
    );
}
