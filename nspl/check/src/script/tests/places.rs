//! Where faults are shown when parts of a definition stand in stored text and not in the script.

use super::{MODE, check, codes, world};

#[test]
fn a_fault_of_stored_text_is_shown_at_the_statement_however_its_places_fall() {
    for blanks in [0, 10, 100, 400, 1_000, 4_000] {
        let blanks = " ".repeat(blanks);
        let last = format!("ALTER EMITTER outbox{blanks} SET TO CLIENT SCHEMA failure {MODE}");
        let text = format!("BEGIN; ALTER EMITTER outbox SET FLUSH IMMEDIATE; {last}; COMMIT;");
        let checked = check(&text, &world());
        assert!(!checked.diagnostics.is_empty(), "{text}");
        for found in &checked.diagnostics {
            assert_eq!(text.get(found.span.clone()), Some(last.as_str()), "{found:#?}");
            assert!(
                found.labels.iter().all(|label| label.span.end <= text.len()),
                "{found:#?}"
            );
        }
    }
}

#[test]
fn a_fault_of_an_earlier_change_is_shown_where_that_was_written() {
    let text = "BEGIN; ALTER EMITTER outbox ALTER FROM events SET WHERE id > 'x'; \
                ALTER EMITTER outbox SET FLUSH IMMEDIATE; COMMIT;";
    let checked = check(text, &world());
    assert_eq!(codes(&checked), ["E1305"]);
    assert_eq!(text.get(checked.diagnostics[0].span.clone()), Some(">"));
    assert!(
        checked.diagnostics[0]
            .labels
            .iter()
            .any(|label| text.get(label.span.clone()) == Some("'x'"))
    );
}
