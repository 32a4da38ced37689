//! Tests of the lexer.

use crate::lexer::lex;
use crate::limits::{NAME_BYTES_MAX, TEXT_BYTES_MAX};
use crate::token::TokenKind;

fn texts(text: &str) -> Vec<&str> {
    lex(text).tokens.iter().map(|token| token.text).collect()
}

fn codes(text: &str) -> Vec<&'static str> {
    lex(text).faults.iter().map(|fault| fault.code).collect()
}

#[test]
fn words_numbers_texts_and_symbols_are_told_apart() {
    assert_eq!(
        texts("a_1<=1.5e-3||'it''s'"),
        ["a_1", "<=", "1.5e-3", "||", "'it''s'"]
    );
    assert_eq!(texts("1.x 5. 1e 1e9s"), ["1", ".", "x", "5", ".", "1e", "1e9s"]);
    assert_eq!(lex("250ms").tokens[0].kind, TokenKind::Quantity { number: 3 });
}

#[test]
fn a_doubled_quote_is_one_quote_and_a_backslash_is_ordinary() {
    assert_eq!(lex(r#"'it''s \'"#).tokens[0].unquoted(), r"it's \");
    assert_eq!(lex(r#""say ""x"" 'y'""#).tokens[0].unquoted(), r#"say "x" 'y'"#);
    assert_eq!(lex("''").tokens[0].unquoted(), "");
    assert_eq!(lex("''''").tokens[0].unquoted(), "'");
}

#[test]
fn comments_are_kept_and_do_not_nest() {
    let lexed = lex("a -- one; 'x'\n/* two /* ; */ b /*/ three */");
    assert_eq!(
        lexed.tokens.iter().map(|token| token.text).collect::<Vec<_>>(),
        ["a", "b"]
    );
    let comments: Vec<_> = lexed
        .comments
        .iter()
        .map(|comment| comment.text.as_str())
        .collect();
    assert_eq!(comments, ["-- one; 'x'", "/* two /* ; */", "/*/ three */"]);
    assert!(lexed.faults.is_empty());
}

#[test]
fn a_line_comment_ends_with_its_line_however_that_ends() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("a -- one{end}b");
        let lexed = lex(&text);
        assert_eq!(texts(&text), ["a", "b"], "{end:?}");
        assert_eq!(lexed.comments[0].text, "-- one", "{end:?}");
    }
    assert_eq!(texts("a 'b\rc"), ["a", "c"]);
}

#[test]
fn what_is_never_closed_is_a_fault_at_its_opening() {
    assert_eq!(codes("a /* b"), ["E0103"]);
    assert_eq!(codes("a /*/"), ["E0103"]);
    assert_eq!(codes("a 'b"), ["E0102"]);
    assert_eq!(lex("a 'b").faults[0].span.range(), 2..3);
}

#[test]
fn a_run_of_bad_characters_is_one_fault() {
    assert_eq!(codes("a @@@ b ä c"), ["E0101", "E0101"]);
    assert_eq!(texts("a @@@ b"), ["a", "b"]);
    assert_eq!(codes(&"§".repeat(10_000)), ["E0101"]);
}

#[test]
fn literals_past_their_bound_are_refused() {
    assert_eq!(codes(&format!("'{}'", "x".repeat(TEXT_BYTES_MAX))), ["E0104"]);
    assert_eq!(codes(&"x".repeat(NAME_BYTES_MAX + 1)), ["E0104"]);
    assert_eq!(codes(&"x".repeat(NAME_BYTES_MAX)), [""; 0]);
    assert_eq!(codes(&"9".repeat(2_000)), ["E0104"]);
}

#[test]
fn a_fault_never_shows_the_inside_of_a_string() {
    let lexed = lex("'hunter2'");
    assert_eq!(lexed.tokens[0].describe(), "a string");
}

#[test]
fn a_byte_order_mark_is_skipped_and_foreign_blanks_are_told_apart() {
    assert_eq!(texts("\u{feff}USE d"), ["USE", "d"]);
    assert!(lex("\u{feff}USE d").faults.is_empty());
    let faults = lex("USE\u{a0}d").faults;
    assert!(
        faults[0]
            .help
            .as_deref()
            .unwrap_or_default()
            .contains("plain space")
    );
}

#[test]
fn line_ends_of_other_systems_end_comments() {
    let lexed = lex("a -- b\r\nc");
    assert_eq!(lexed.comments[0].text, "-- b");
    assert_eq!(lexed.tokens.len(), 2);
}
