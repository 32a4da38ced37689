//! Which files are found, and where faults are said to be.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Fault, FileMap, compile, is_batch_of, message_names};

fn files(files: &[(&str, &str)]) -> FileMap {
    let files = files
        .iter()
        .map(|(path, text)| (path.to_string(), text.as_bytes().to_vec()));
    Arc::new(files.collect::<BTreeMap<_, _>>())
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

fn two() -> FileMap {
    files(&[
        (
            "a/event.proto",
            "syntax = \"proto3\"; package p;\nimport \"common/kind.proto\";\nimport \"google/protobuf/timestamp.proto\";
message Event { string id = 1; c.Kind kind = 2; google.protobuf.Timestamp at = 3; map<string, string> tags = 4; }
message Events { repeated Event events = 1; }
message Named { string name = 1; repeated Event events = 2; }
message Strings { repeated string texts = 1; }
message One { Event event = 1; }",
        ),
        ("lib/common/kind.proto", "syntax = \"proto3\"; package c;\nenum Kind { NONE = 0; }"),
        ("README.md", "not a proto"),
    ])
}

#[test]
fn files_are_found_through_the_includes() {
    let named = compile(&two(), &strings(&["a/event.proto"]), &strings(&["lib"])).unwrap();
    let every = compile(&two(), &[], &strings(&["a", "lib"])).unwrap();
    for pool in [named, every] {
        let event = pool.get_message_by_name("p.Event").unwrap();
        let is_batch = |name: &str| is_batch_of(&pool.get_message_by_name(name).unwrap(), &event);
        assert!(is_batch("p.Events"));
        assert!(!is_batch("p.Named") && !is_batch("p.Strings") && !is_batch("p.One") && !is_batch("p.Event"));
        let mut names = message_names(&pool);
        names.sort();
        assert_eq!(names, ["p.Event", "p.Events", "p.Named", "p.One", "p.Strings"]);
    }
}

#[test]
fn a_fault_names_its_file_and_line() {
    let fault = |map: &FileMap, names: &[&str], includes: &[&str]| {
        compile(map, &strings(names), &strings(includes))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        fault(&two(), &["a/event.proto"], &[]),
        "a/event.proto:2: import 'common/kind.proto' not found"
    );
    assert_eq!(
        fault(&two(), &["a/evnt.proto"], &["lib"]),
        "there is no file 'a/evnt.proto'"
    );
    assert_eq!(
        fault(&files(&[("a.txt", "")]), &[], &[]),
        "there is no .proto file"
    );
    let broken = files(&[(
        "m.proto",
        "syntax = \"proto3\";\n\nmessage M {\n  strng id = 1;\n}",
    )]);
    assert_eq!(fault(&broken, &[], &[]), "m.proto:4: name 'strng' is not defined");
    let unread = files(&[("m.proto", "syntax = \"proto3\";\nmessage M {\n  string id 1;\n}")]);
    let Fault { file, line, .. } = compile(&unread, &[], &[]).unwrap_err();
    assert_eq!((file.as_deref(), line), (Some("m.proto"), Some(3)));
    let circle = files(&[
        ("a.proto", "import \"b.proto\";"),
        ("b.proto", "import \"a.proto\";"),
    ]);
    assert!(fault(&circle, &[], &[]).contains("cycle"));
    let binary: FileMap = Arc::new([("m.proto".to_owned(), vec![0xff])].into_iter().collect());
    assert_eq!(fault(&binary, &[], &[]), "'m.proto' is not UTF-8");
}

#[test]
fn deep_files_are_refused_and_do_not_end_the_process() {
    let deep = format!("{}{}", "message A {".repeat(50_000), "}".repeat(50_000));
    let found = compile(&files(&[("m.proto", &deep)]), &[], &[]).unwrap_err();
    assert!(found.message.contains("nested more than 100 deep"), "{found}");
    let quoted = format!(
        "// {0}\n/* {0} */ message A {{ optional string a = 1 [default = '{0}\\'']; }}",
        "{".repeat(200)
    );
    assert!(compile(&files(&[("m.proto", &quoted)]), &[], &[]).is_ok());
    // A long chain of imports.
    let chain: Vec<(String, String)> = (0..2_000)
        .map(|n| (format!("f{n}.proto"), format!("import \"f{}.proto\";", n + 1)))
        .chain([("f2000.proto".to_owned(), "message M {}".to_owned())])
        .collect();
    let chain: Vec<(&str, &str)> = chain
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    assert!(compile(&files(&chain), &strings(&["f0.proto"]), &[]).is_ok());
}
