//! Colours of a line that is being typed, from the lexer alone.
//!
//! Which words are keywords is known to the grammar only, so what is written in capitals, as keywords are, is bold.

use nspl::{Lexeme, LexemeKind, lexemes};

const BOLD: &str = "1";
const DIM: &str = "2";
const GREEN: &str = "32";
const RED: &str = "31";
const CYAN: &str = "36";

/// `line` with colours; `before` is what was typed on the lines above it, which may leave a string or comment open.
pub(super) fn highlight(before: &str, line: &str) -> String {
    let text = format!("{before}{line}");
    let mut coloured = String::with_capacity(line.len() * 2);
    let mut at = before.len();
    for lexeme in lexemes(&text) {
        let Some(colour) = colour(&lexeme).filter(|_| lexeme.span.end > at) else {
            continue;
        };
        let begin = lexeme.span.start.max(at);
        coloured.push_str(text.get(at..begin).unwrap_or_default());
        let part = text.get(begin..lexeme.span.end).unwrap_or_default();
        for piece in ["\x1b[", colour, "m", part, "\x1b[0m"] {
            coloured.push_str(piece);
        }
        at = lexeme.span.end;
    }
    coloured.push_str(text.get(at..).unwrap_or_default());
    coloured
}

fn colour(lexeme: &Lexeme<'_>) -> Option<&'static str> {
    match lexeme.kind {
        LexemeKind::Word => {
            let loud = lexeme.text.len() > 1 && !lexeme.text.contains(|byte: char| byte.is_ascii_lowercase());
            loud.then_some(BOLD)
        }
        LexemeKind::Number => Some(CYAN),
        LexemeKind::Text => Some(GREEN),
        LexemeKind::OpenText => Some(RED),
        LexemeKind::Comment | LexemeKind::OpenComment => Some(DIM),
        LexemeKind::Symbol => None,
    }
}

#[cfg(test)]
mod tests {
    use super::highlight;

    #[test]
    fn lexemes_are_coloured_and_the_text_stays() {
        assert_eq!(
            highlight("", "USE d; -- why"),
            "\x1b[1mUSE\x1b[0m d; \x1b[2m-- why\x1b[0m"
        );
        assert_eq!(
            highlight("", "'ab' 30s"),
            "\x1b[32m'ab'\x1b[0m \x1b[36m30s\x1b[0m"
        );
    }

    #[test]
    fn a_string_goes_on_from_the_line_above() {
        assert_eq!(highlight("USE 'a\n", "b' x"), "\x1b[32mb'\x1b[0m x");
        assert_eq!(highlight("", "'a"), "\x1b[31m'a\x1b[0m");
    }
}
