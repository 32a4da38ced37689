//! Tests of what the grammar proposes.

use crate::complete::{Typed, propose};

#[test]
fn the_words_of_the_grammar_are_proposed() {
    assert!(propose("").words.starts_with(&["CREATE", "ALTER", "DROP"]));
    assert_eq!(
        propose("STOP; CREATE RELAY r SCHEMA s ").words,
        ["UNBRANCHED", "BRANCHED BY"]
    );
    assert_eq!(propose("USE d").words, [""; 0]);
    assert_eq!(propose("USE d ").words, [";"]);
}

#[test]
fn what_is_being_typed_narrows_the_proposal() {
    let proposal = propose("create re");
    assert_eq!(proposal.words, ["RELAY", "RESOURCE"]);
    assert_eq!(
        (proposal.typed, proposal.span.range(), proposal.statement),
        (Typed::Word, 7..9, 0)
    );
}

#[test]
fn places_for_names_and_values_are_described() {
    let proposal = propose("CREATE EMITTER e FROM ");
    assert_eq!((proposal.words, proposal.places), (vec![], vec!["a relay name"]));
    assert_eq!(
        propose("ALTER EMITTER e ADD FROM r WHERE ").places,
        ["an expression"]
    );
    let unit = propose("CREATE BRANCH b SCHEMA s TTL 25");
    assert_eq!(
        (unit.typed, unit.places),
        (Typed::Number, vec!["a duration such as 250ms"])
    );
}

#[test]
fn inside_a_string_the_place_is_that_of_the_string() {
    let proposal = propose("CREATE CLIENT c TYPE HTTP CONFIG {'end");
    assert_eq!(
        (proposal.typed, proposal.span.range(), proposal.places),
        (Typed::Text, 34..38, vec!["a quoted key"])
    );
}

#[test]
fn nothing_is_proposed_behind_a_fault_or_inside_a_comment() {
    for text in ["FLY ", "USE 'a", "-- US", "/* US", "USE d /*/"] {
        assert_eq!(propose(text).words, [""; 0], "{text}");
    }
    assert_eq!(propose("USE d /* which */").words, [";"]);
}

#[test]
fn a_statement_begins_behind_a_mark_or_on_a_line_of_its_own() {
    let proposal = propose("CREATE RELAY r\n CREATE SCHEMA ");
    assert_eq!((proposal.statement, proposal.places), (16, vec!["a schema name"]));
    assert_eq!(propose("STOP; USE ").statement, 6);
}
