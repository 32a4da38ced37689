//! Where statements begin and end in what is typed. Pure.

use nspl::{Lexeme, LexemeKind, lexemes};

/// What a person has typed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Blanks and comments.
    Empty,
    /// A statement, a string or a comment goes on.
    Open,
    /// It ends with a `;`.
    Whole,
}

/// What has been typed so far.
pub(super) fn read(text: &str) -> Input {
    let found = lexemes(text);
    if found
        .iter()
        .any(|lexeme| matches!(lexeme.kind, LexemeKind::OpenText | LexemeKind::OpenComment))
    {
        return Input::Open;
    }
    match found.iter().rfind(|lexeme| lexeme.kind != LexemeKind::Comment) {
        Some(last) if last.is_symbol(";") => Input::Whole,
        Some(_) => Input::Open,
        // A character that begins nothing is no lexeme, and still wants its `;`.
        None if found.is_empty() && !text.trim().is_empty() => Input::Open,
        None => Input::Empty,
    }
}

/// The statements of a whole input, each with its `;`, without those that are only a `;`.
pub(super) fn statements(text: &str) -> Vec<&str> {
    let found = lexemes(text);
    let mut statements = Vec::new();
    let mut begin = 0;
    let mut bare = true;
    for lexeme in &found {
        if !lexeme.is_symbol(";") {
            bare &= lexeme.kind == LexemeKind::Comment;
            continue;
        }
        let statement = text.get(begin..lexeme.span.end).unwrap_or_default().trim();
        if !bare
            || statement
                .trim_end_matches(';')
                .chars()
                .any(|other| !other.is_whitespace())
        {
            statements.push(statement);
        }
        (begin, bare) = (lexeme.span.end, true);
    }
    statements
}

/// The first word of a statement, in upper case; empty where it begins otherwise.
pub(super) fn first_word(statement: &str) -> String {
    let found = lexemes(statement);
    let first: Option<&Lexeme<'_>> = found.iter().find(|lexeme| lexeme.kind != LexemeKind::Comment);
    first
        .filter(|lexeme| lexeme.kind == LexemeKind::Word)
        .map(|lexeme| lexeme.text.to_ascii_uppercase())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Input, first_word, read, statements};

    #[test]
    fn an_input_is_whole_at_a_mark_outside_of_strings_and_comments() {
        for whole in ["USE d;", "USE d; -- done", "USE d; /* ; */", ";", "FLY 'a;b';"] {
            assert_eq!(read(whole), Input::Whole, "{whole}");
        }
        for open in ["USE d", "USE 'd;", "USE d -- ;", "USE d; /* ;", "STOP; USE", "€"] {
            assert_eq!(read(open), Input::Open, "{open}");
        }
        for empty in ["", "  \n", "-- nothing;"] {
            assert_eq!(read(empty), Input::Empty, "{empty}");
        }
    }

    #[test]
    fn statements_keep_their_marks_and_strings() {
        assert_eq!(
            statements("USE d; ;CREATE SCHEMA\n s (a I64); FLY 'a;b'; -- end"),
            ["USE d;", "CREATE SCHEMA\n s (a I64);", "FLY 'a;b';"]
        );
    }

    #[test]
    fn the_first_word_is_found_behind_comments_in_any_case() {
        assert_eq!(first_word("/* x */ begin;"), "BEGIN");
        assert_eq!(first_word("'begin';"), "");
    }
}
