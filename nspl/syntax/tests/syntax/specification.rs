//! Golden tests: every example of the specification reads as written and has the committed canonical form.
//!
//! `corpus/<name>.nspl` is what is read, `corpus/canonical/<name>.nspl` what formatting makes of it. `emitters` holds the
//! whole statements of the chapter on emitters, word by word; the numbers are those of the specification, so that none is
//! lost unseen.

use nspl_syntax::{Entity, Statement, format, parse, print_masked};

/// A name, how many statements stand there, what is read, and its canonical form.
const CORPUS: [(&str, usize, &str, &str); 3] = [
    (
        "emitters",
        30,
        include_str!("../corpus/emitters.nspl"),
        include_str!("../corpus/canonical/emitters.nspl"),
    ),
    (
        "fragments",
        85,
        include_str!("../corpus/fragments.nspl"),
        include_str!("../corpus/canonical/fragments.nspl"),
    ),
    (
        "statements",
        82,
        include_str!("../corpus/statements.nspl"),
        include_str!("../corpus/canonical/statements.nspl"),
    ),
];

#[test]
fn every_example_reads_as_written() {
    for (name, statements, text, _) in CORPUS {
        let parsed = parse(text);
        let faults: Vec<_> = parsed
            .faults
            .iter()
            .map(|fault| {
                (
                    &fault.message,
                    text.get(fault.span.start.saturating_sub(60)..fault.span.end),
                )
            })
            .collect();
        assert!(faults.is_empty(), "{name}: {faults:#?}");
        assert_eq!(parsed.statements.len(), statements, "{name}");
    }
}

#[test]
fn every_example_has_its_canonical_form() {
    for (name, _, text, canonical) in CORPUS {
        let formatted = format(text).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        for (number, (found, wanted)) in formatted.lines().zip(canonical.lines()).enumerate() {
            assert_eq!(found, wanted, "{name}, line {}", number + 1);
        }
        assert_eq!(formatted, canonical, "{name}");
        assert_eq!(parse(canonical).statements, parse(text).statements, "{name}");
    }
}

#[test]
fn secrets_are_masked_and_the_rest_is_shown() {
    let masked = |text: &str| print_masked(&parse(text).statements[0].node);
    let shown = masked(
        "CREATE CLIENT c TYPE s3 CONFIG {'region' = 'eu', 'access_key_id' = 'id', 'secret_access_key' = 'k'}",
    );
    assert!(
        shown.contains("'access_key_id' = 'id'") && shown.contains("'secret_access_key' = '***'"),
        "{shown}"
    );
    let shown = masked("CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'amqps://user:pass@host:5671/v'}");
    assert!(shown.contains("'addr' = 'amqps://***@host:5671/v'"), "{shown}");
    let shown = masked("ALTER CLIENT c SET CONFIG {'token' = 't', 'addr' = 'nats://h'}");
    assert!(
        shown.contains("'token' = '***'") && shown.contains("'addr' = 'nats://h'"),
        "{shown}"
    );
}

#[test]
fn debug_output_of_a_client_shows_no_value() {
    let parsed = parse("CREATE CLIENT c TYPE REDIS CONFIG {'password' = 'hunter2'}");
    let Statement::Create(create) = &parsed.statements[0].node else {
        panic!("a CREATE")
    };
    assert!(matches!(create.entity, Entity::Client(_)));
    assert!(!format!("{parsed:?}").contains("hunter2"));
}
