//! Tests of completion.

use crate::complete::complete;

#[test]
fn the_words_of_the_grammar_are_proposed() {
    assert!(complete("").words.starts_with(&["CREATE", "ALTER", "DROP"]));
    assert_eq!(
        complete("STOP; CREATE RELAY r SCHEMA s ").words,
        ["UNBRANCHED", "BRANCHED BY"]
    );
    assert_eq!(complete("USE d").words, [""; 0]);
    assert_eq!(complete("USE d ").words, [";"]);
}

#[test]
fn a_word_being_typed_narrows_the_proposal() {
    let completion = complete("create re");
    assert_eq!(completion.words, ["RELAY", "RESOURCE"]);
    assert_eq!(completion.typed.range(), 7..9);
}

#[test]
fn places_for_names_are_described() {
    let completion = complete("CREATE EMITTER e FROM ");
    assert_eq!(
        (completion.words, completion.places),
        (vec![], vec!["a relay name"])
    );
    assert_eq!(
        complete("ALTER EMITTER e ADD FROM r WHERE ").places,
        ["an expression"]
    );
}

#[test]
fn nothing_is_proposed_behind_a_fault_or_inside_a_string_or_comment() {
    for text in ["FLY ", "USE 'a", "-- US", "/* US"] {
        assert_eq!(complete(text).words, [""; 0], "{text}");
    }
}
