//! docs/reference/functions: a page for each family, the casts and the operators, written from the code that evaluates
//! them. The examples of functions run beside their kernels; what is said of casts and operators is tried out here.
//!
//! `make docs` (`NSPL_WRITE=1 cargo test -p nervix-expr --test pages`) writes the pages; the difference is to be read before it
//! is committed.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own files has failed"
)]

#[path = "pages/conversions.rs"]
mod conversions;
#[path = "reference/dice.rs"]
#[allow(dead_code, reason = "the pages need no number below a bound")]
mod dice;
#[path = "pages/functions.rs"]
mod functions;
#[path = "pages/operators.rs"]
mod operators;
#[path = "reference/values.rs"]
#[allow(dead_code, reason = "the pages need no random value")]
mod values;

use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/functions")
}

#[expect(
    clippy::disallowed_methods,
    reason = "whether to write is a setting of this test executable"
)]
fn is_writing() -> bool {
    std::env::var("NSPL_WRITE").is_ok()
}

#[test]
fn the_pages_say_what_the_code_does() {
    let mut pages = functions::pages();
    pages.push(("conversions.md".to_owned(), conversions::page()));
    pages.push(("operators.md".to_owned(), operators::page()));
    let mut stale = Vec::new();
    for (name, text) in &pages {
        let path = folder().join(name);
        if fs::read_to_string(&path).unwrap_or_default() == *text {
            continue;
        }
        if is_writing() {
            fs::create_dir_all(folder()).unwrap();
            fs::write(&path, text).unwrap();
        } else {
            stale.push(name.clone());
        }
    }
    for found in fs::read_dir(folder()).unwrap() {
        let name = found.unwrap().file_name().into_string().unwrap();
        if !pages.iter().any(|(page, _)| *page == name) {
            stale.push(format!("{name}, which has no source"));
        }
    }
    assert!(
        stale.is_empty(),
        "stale: make docs writes them; read the difference: {stale:?}"
    );
}
