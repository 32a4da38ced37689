use super::{JsonPath, JsonPathError, JsonStep};

fn steps(text: &str) -> Vec<JsonStep> {
    JsonPath::parse(text).unwrap().steps
}

#[test]
fn every_form_of_a_step_is_read() {
    assert_eq!(steps("$"), []);
    assert_eq!(
        steps(r#"$.a_1["b c"][12]["\"\u00e4\ud83d\ude00"]"#),
        [
            JsonStep::Name("a_1".into()),
            JsonStep::Name("b c".into()),
            JsonStep::Index(12),
            JsonStep::Name("\"ä😀".into())
        ]
    );
}

#[test]
fn what_is_no_path_says_where_and_what_is_expected() {
    assert_eq!(JsonPath::parse("a.b"), Err(JsonPathError::NoRoot));
    for (text, at) in [
        ("$.", 2),
        ("$.1", 2),
        ("$a", 1),
        ("$[", 2),
        ("$[-1]", 2),
        ("$[1", 3),
        ("$['a']", 2),
        ("$..a", 2),
    ] {
        match JsonPath::parse(text) {
            Err(JsonPathError::Step { at: found, .. }) => assert_eq!(found, at, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(JsonPath::parse(r#"$["\ud800"]"#).is_err());
    assert!(JsonPath::parse("$[99999999999999999999]").is_err());
    assert_eq!(
        JsonPath::parse(&format!("${}", "[0]".repeat(128))),
        Err(JsonPathError::TooDeep)
    );
}
