//! What is JSON and what is not.

use nervix_columns::json::JsonScalar;
use nspl_model::JsonPath;
use proptest::prelude::{prop_assert, proptest};

use super::{Json, find};

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
        Ok(Some(Json::Scalar(JsonScalar::Number("1"))))
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
