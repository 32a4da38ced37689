//! The licences, bans and sources of `deny.toml`, held against `cargo metadata`: every crate of the lock file may be used,
//! and nothing is allowed that no crate needs. `make deny` asks for more; this needs no further program.

use std::collections::BTreeSet;
use std::process::Command;

use crate::arrows::metadata;
use crate::tree::root;

/// The strings of a list of `deny.toml` that begins with `begin`, one or several a line.
fn listed(begin: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml is there");
    let (_, rest) = text
        .split_once(begin)
        .unwrap_or_else(|| panic!("deny.toml has {begin}"));
    let list = rest.split("\n]").next().unwrap_or_default();
    let lines = list
        .lines()
        .filter_map(|line| line.split('"').nth(1).map(str::to_owned));
    lines.collect()
}

/// Whether an SPDX expression can be satisfied; adds what satisfies it. `/` is the old way of writing OR.
fn satisfied(expression: &str, allowed: &BTreeSet<String>, used: &mut BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], " ");
    // Every AND in use binds parts that are OR lists in parentheses or single licences.
    let mut whole = true;
    for part in expression.split(" AND ") {
        let mut choices = part
            .split(" OR ")
            .map(str::trim)
            .filter(|one| allowed.contains(*one));
        match choices.next() {
            Some(first) => {
                used.insert(first.to_owned());
                used.extend(choices.map(str::to_owned));
            }
            None => whole = false,
        }
    }
    whole
}

#[test]
fn every_licence_is_allowed_and_every_allowed_one_is_needed() {
    let allowed = listed("allow = [");
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let (mut used, mut refused) = (BTreeSet::new(), Vec::new());
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        let licence = package["license"].as_str().unwrap_or_default();
        if !satisfied(licence, &allowed, &mut used) {
            refused.push(format!("{} {licence:?}", package["name"]));
        }
    }
    assert_eq!(
        refused,
        Vec::<String>::new(),
        "allow their licences in deny.toml or drop them"
    );
    let unused: Vec<&String> = allowed.difference(&used).collect();
    assert!(
        unused.is_empty(),
        "no crate needs {unused:?}: take them out of deny.toml"
    );
}

#[test]
fn everything_comes_from_the_registry_of_the_lock_file() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let elsewhere: Vec<_> = packages
        .iter()
        .filter(|package| {
            let source = package["source"].as_str();
            source.is_some_and(|source| source != "registry+https://github.com/rust-lang/crates.io-index")
        })
        .map(|package| (&package["name"], &package["source"]))
        .collect();
    assert!(elsewhere.is_empty(), "not from crates.io: {elsewhere:?}");
}

/// The names of everything that is compiled, for any target. The lock file names more: what a feature nobody turns on
/// would bring.
fn compiled() -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--all-features", "--locked"])
        .args(["--target", "all", "--edges", "all", "--prefix", "none"])
        .args(["--format", "{p}"])
        .current_dir(root())
        .output()
        .expect("cargo tree runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines
        .lines()
        .filter_map(|line| line.split(' ').next().map(str::to_owned))
        .collect()
}

#[test]
fn what_is_banned_is_not_compiled() {
    let banned = listed("deny = [");
    assert!(banned.contains("ring") && banned.contains("openssl") && banned.contains("native-tls"));
    let compiled = compiled();
    assert!(compiled.contains("rustls") && compiled.contains("nervix-expr"));
    let found: Vec<&String> = banned.intersection(&compiled).collect();
    assert!(
        found.is_empty(),
        "{found:?} came in: `cargo tree -i NAME` says by which crate"
    );
}

#[test]
fn expressions_are_read_as_cargo_writes_them() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Unicode-3.0".to_owned()]);
    let can = |expression: &str| satisfied(expression, &allowed, &mut BTreeSet::new());
    for expression in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-2.0 OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ] {
        assert!(can(expression), "{expression}");
    }
    for expression in ["", "Apache-2.0", "MIT AND GPL-2.0", "(GPL-2.0 OR Zlib) AND MIT"] {
        assert!(!can(expression), "{expression}");
    }
}
