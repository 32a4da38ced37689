//! The arrows between rooms, read from `cargo metadata`: what a crate may name, and what it may never reach.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::tree::root;

type Graph = BTreeMap<String, BTreeSet<String>>;

/// What cargo knows of every package of the lock file; it fetches those of other systems, which no build here brought.
pub(crate) fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

/// Direct, non-dev dependencies among all packages, by name.
fn graph() -> Graph {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| (text(&package["name"]), dependencies(package)))
        .collect()
}

fn dependencies(package: &Value) -> BTreeSet<String> {
    let all = package["dependencies"].as_array().expect("dependencies");
    all.iter()
        .filter(|one| one["kind"].is_null())
        .map(|one| text(&one["name"]))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn ours(name: &str) -> bool {
    name.starts_with("nervix") || name.starts_with("nspl")
}

fn reach(graph: &Graph, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        for next in graph.get(&name).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// Which of our crates each of our crates may name. `nervix`, tests and benches compose, and may name all.
const ARROWS: &[(&str, &[&str])] = &[
    ("nervix-proto", &[]),
    ("nervix-resource", &[]),
    ("nspl-syntax", &[]),
    ("nspl-model", &[]),
    ("nspl-jaq", &[]),
    ("nspl-protobuf", &[]),
    (
        "nspl-check",
        &["nspl-jaq", "nspl-model", "nspl-protobuf", "nspl-syntax"],
    ),
    ("nspl", &["nspl-check", "nspl-model", "nspl-syntax"]),
    ("nervix-database", &[]),
    ("nervix-listener", &["nervix-clock"]),
    ("nervix-store", &["nervix-database"]),
    ("nervix-store-etcd", &["nervix-store"]),
    (
        "nervix-control-plane",
        &[
            "nervix-clock",
            "nervix-listener",
            "nervix-proto",
            "nervix-resource",
            "nervix-store",
            "nspl",
            "nspl-model",
        ],
    ),
    ("nervix-ack", &[]),
    ("nervix-budget", &[]),
    ("nervix-clock", &[]),
    ("nervix-columns", &["nspl-model"]),
    (
        "nervix-relay",
        &[
            "nervix-ack",
            "nervix-budget",
            "nervix-clock",
            "nervix-columns",
            "nspl-model",
        ],
    ),
    ("nervix-expr", &["nervix-clock", "nervix-columns", "nspl-model"]),
    (
        "nervix-sink",
        &["nervix-ack", "nervix-budget", "nervix-clock", "nspl-model"],
    ),
    ("nervix-net", &["nervix-clock"]),
    (
        "nervix-codec",
        &["nervix-columns", "nspl-jaq", "nspl-model", "nspl-protobuf"],
    ),
    (
        "nervix-extension",
        &["nervix-clock", "nervix-codec", "nspl-model"],
    ),
    ("nervix-flush", &["nervix-clock", "nspl-model"]),
    (
        "nervix-ingestor",
        &[
            "nervix-ack",
            "nervix-budget",
            "nervix-clock",
            "nervix-columns",
            "nervix-expr",
            "nervix-flush",
            "nervix-relay",
            "nspl-model",
        ],
    ),
    (
        "nervix-source-client",
        &[
            "nervix-ack",
            "nervix-budget",
            "nervix-columns",
            "nervix-ingestor",
            "nspl-model",
        ],
    ),
    (
        "nervix-emitter",
        &[
            "nervix-ack",
            "nervix-budget",
            "nervix-clock",
            "nervix-codec",
            "nervix-columns",
            "nervix-expr",
            "nervix-flush",
            "nervix-relay",
            "nervix-sink",
            "nspl-model",
        ],
    ),
    (
        "nervix-state",
        &[
            "nervix-clock",
            "nervix-columns",
            "nervix-database",
            "nervix-relay",
            "nspl-model",
        ],
    ),
    (
        "nervix-sink-testkit",
        &["nervix-clock", "nervix-sink", "nspl-model"],
    ),
    (
        "nervix-sink-client",
        &["nervix-budget", "nervix-clock", "nervix-sink", "nspl-model"],
    ),
    (
        "nervix-sink-http",
        &["nervix-clock", "nervix-net", "nervix-sink", "nspl-model"],
    ),
    (
        "nervix-sink-kafka",
        &["nervix-budget", "nervix-clock", "nervix-sink", "nspl-model"],
    ),
    (
        "nervix-sink-postgres",
        &[
            "nervix-budget",
            "nervix-clock",
            "nervix-columns",
            "nervix-net",
            "nervix-sink",
            "nspl-model",
        ],
    ),
    (
        "nervix-data-plane",
        &[
            "nervix-ack",
            "nervix-budget",
            "nervix-clock",
            "nervix-codec",
            "nervix-columns",
            "nervix-emitter",
            "nervix-ingestor",
            "nervix-listener",
            "nervix-net",
            "nervix-proto",
            "nervix-relay",
            "nervix-resource",
            "nervix-sink",
            "nervix-sink-client",
            "nervix-sink-http",
            "nervix-sink-kafka",
            "nervix-sink-postgres",
            "nervix-source-client",
            "nervix-state",
            "nspl",
            "nspl-model",
            "nspl-protobuf",
        ],
    ),
    ("nervix-client", &["nervix-proto"]),
    (
        "nervix",
        &[
            "nervix-client",
            "nervix-clock",
            "nervix-columns",
            "nervix-control-plane",
            "nervix-data-plane",
            "nervix-extension",
            "nervix-listener",
            "nervix-proto",
            "nervix-store",
            "nervix-store-etcd",
            "nspl",
        ],
    ),
    (
        "nervix-tests",
        &[
            "nervix-client",
            "nervix-proto",
            "nervix-sink-testkit",
            "nspl-model",
        ],
    ),
];

#[test]
fn each_room_names_only_the_rooms_it_may() {
    let graph = graph();
    let mut bad = Vec::new();
    for (name, named) in graph
        .iter()
        .filter(|(name, _)| ours(name) && !name.starts_with("nervix-bench"))
    {
        let Some((_, allowed)) = ARROWS.iter().find(|(room, _)| room == name) else {
            bad.push(format!(
                "{name}: add the new room and its arrows to tests/tests/tidy/arrows.rs"
            ));
            continue;
        };
        for other in named
            .iter()
            .filter(|other| ours(other) && !allowed.contains(&other.as_str()))
        {
            bad.push(format!(
                "{name} names {other}: move the code to the room it belongs to, or argue for the arrow"
            ));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn the_control_plane_reaches_no_driver_and_no_column() {
    let reached = reach(&graph(), "nervix-control-plane");
    let bad: Vec<&String> = reached
        .iter()
        .filter(|name| {
            name.starts_with("nervix-sink") || name.starts_with("arrow") || *name == "nervix-data-plane"
        })
        .collect();
    assert!(bad.is_empty(), "the control plane reaches {bad:?}");
}

/// The emitter encodes protobuf through its codecs, so it has prost's types, but nothing that could send them.
#[test]
fn the_emitter_and_the_pure_rooms_reach_no_wire() {
    let graph = graph();
    for room in [
        "nervix-emitter",
        "nervix-ingestor",
        "nervix-relay",
        "nervix-expr",
        "nervix-columns",
        "nervix-ack",
    ] {
        let reached = reach(&graph, room);
        let bad: Vec<&str> = ["tonic", "hyper", "nervix-proto", "rustls"]
            .into_iter()
            .filter(|wire| reached.contains(*wire))
            .collect();
        assert!(bad.is_empty(), "{room} reaches {bad:?}");
    }
}

/// It compiles descriptors of protobuf in memory, so it has prost's types, but nothing that could send them.
#[test]
fn the_language_reaches_no_wire() {
    let reached = reach(&graph(), "nspl");
    let bad: Vec<&str> = ["tonic", "hyper", "nervix-proto", "tokio"]
        .into_iter()
        .filter(|wire| reached.contains(*wire))
        .collect();
    assert!(bad.is_empty(), "nspl reaches {bad:?}");
}

#[test]
fn no_sink_names_another_sink() {
    for (name, named) in graph()
        .iter()
        .filter(|(name, _)| name.starts_with("nervix-sink-"))
    {
        let bad: Vec<&String> = named
            .iter()
            .filter(|other| other.starts_with("nervix-sink-"))
            .collect();
        assert!(bad.is_empty(), "{name} names {bad:?}");
    }
}
