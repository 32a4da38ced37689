//! What is JSON and what is not.

use proptest::prelude::{prop_assert, proptest};

use super::{JsonScalar, JsonValue, find};
use crate::JsonPath;

fn is_json(document: &str) -> bool {
    find(document, &[]).is_ok()
}

#[test]
fn what_is_json_and_what_is_not() {
    for document in [
        "0",
        "-0",
        "-1.5E+10",
        "\"\"",
        " [ ] ",
        "{\"a\" : [1 , {}]}\n",
        "true",
        "null",
        r#""\uD83E\uDD80""#,
        r#""\/""#,
        "[[],[[]]]",
        "\"🦀\"",
    ] {
        assert!(is_json(document), "{document}");
    }
    for document in [
        "",
        " ",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "--1",
        "tru",
        "truex",
        "nul",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{a:1}",
        "{\"a\":1,}",
        "[1 2]",
        "\"a",
        "\"\\x\"",
        "\"\\uD83E\"",
        "\"\\uDD80\"",
        "\"\\uD83E\\u0041\"",
        "\"\t\"",
        "1 2",
        "]",
        "'a'",
        "\u{FEFF}1",
        "NaN",
        "\"\\u12\"",
        "/*x*/1",
    ] {
        assert!(!is_json(document), "{document}");
    }
}

#[test]
fn a_path_leads_to_the_last_of_doubled_keys_and_counts_elements_from_0() {
    let text = r#" {"a": [1, {"b": 2}], "a\"": true, "a": [-1.50e+3, null]} "#;
    let found = |path: &str| find(text, &JsonPath::parse(path).unwrap().steps).unwrap();
    let scalar = |scalar| Some(JsonValue::Scalar(scalar));
    assert_eq!(found("$.a[0]"), scalar(JsonScalar::Number("-1.50e+3")));
    assert_eq!(found("$.a[1]"), scalar(JsonScalar::Null));
    assert_eq!(found("$.a[2]"), None);
    assert_eq!(found("$.a.b"), None);
    assert_eq!(found(r#"$["a\""]"#), scalar(JsonScalar::Bool(true)));
    assert_eq!(found("$.a"), Some(JsonValue::Array));
    assert_eq!(found("$"), Some(JsonValue::Object));
}

#[test]
fn documents_may_be_127_brackets_deep_and_no_deeper() {
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(is_json(&deep(127)));
    assert!(!is_json(&deep(128)));
    let objects = |depth: usize| r#"{"a":"#.repeat(depth) + "1" + &"}".repeat(depth);
    assert!(is_json(&objects(127)));
    assert!(!is_json(&objects(128)));
    let path = JsonPath::parse(&format!("${}", ".a".repeat(127))).unwrap();
    assert_eq!(
        find(&objects(127), &path.steps),
        Ok(Some(JsonValue::Scalar(JsonScalar::Number("1"))))
    );
    assert!(!is_json(&"[".repeat(1_000_000)));
}

proptest! {
    #[test]
    fn no_text_makes_the_scanner_stumble(document in "[\\[\\]{}\":,0-9eE.+\\-\\\\u truefalsn\u{1F980}]{0,40}") {
        let path = JsonPath::parse("$.a[1]").unwrap();
        prop_assert!(find(&document, &path.steps).is_ok() == is_json(&document));
    }
}
