//! The text of a script as excerpts quote it: as many bytes and characters in each line, without what must not be shown.
//!
//! Diagnostics are kept in logs, so values of CONFIG that may be secret are covered, those of keys that are not known, what
//! may be secret of an address wherever it stands, and nearly all of a CLIENT that cannot be read; and they are read on
//! terminals, which would obey some characters.

mod unread;

use std::ops::Range;

use nspl_check::Diagnostic;
use nspl_model::{ClientKind, is_obeyed};
use nspl_syntax::client::secret::secrets as secrets_of;
use nspl_syntax::{Lexeme, LexemeKind, Span, lexemes};
use unread::{Unread, unread};

/// The words behind which a map holds expressions and constants, and no secrets.
const OPEN_MAPS: [&str; 4] = ["VALUES", "ATTRIBUTES", "RESOURCE", "DEFAULT"];

/// The keys of the CONFIG of codecs.
const CODEC_KEYS: [&str; 4] = ["file", "files", "include", "includes"];

/// The text to quote from.
pub(crate) fn shown(source: &str) -> String {
    let Covered { places, .. } = Covered::of(source);
    let mut covered = places.iter().peekable();
    let mut text = String::with_capacity(source.len());
    for (at, c) in source.char_indices() {
        while covered.next_if(|range| range.end <= at).is_some() {}
        let is_covered = covered.peek().is_some_and(|range| range.contains(&at));
        text.push(match c {
            '\n' | '\r' | '\t' => c,
            _ if is_covered => of_length(c, ['*', '·', '•', '🞶']),
            _ if is_obeyed(c) => of_length(c, [' ', '\u{a0}', '\u{fffd}', '🞶']),
            _ => c,
        });
    }
    text
}

/// Diagnostics that name nothing of what is covered, nor of what the grammar takes for statements behind a `;` or `}` of a
/// secret without quotes.
pub(crate) fn hushed(mut diagnostics: Vec<Diagnostic>, source: &str) -> Vec<Diagnostic> {
    if diagnostics.is_empty() {
        return diagnostics;
    }
    let covered = Covered::of(source);
    let hides = |at: usize| covered.hides(source, at);
    for diagnostic in &mut diagnostics {
        let span = diagnostic.span.clone();
        diagnostic.labels.retain(|label| !hides(label.span.start));
        if hides(span.start) {
            diagnostic.message = "what stands here may be of a value of CONFIG without quotes".to_owned();
            diagnostic.help = Some("put the value in single quotes".to_owned());
        } else if covered.place(span.start).is_some() {
            let named = format!("`{}`", source.get(span).unwrap_or_default().escape_debug());
            diagnostic.message = diagnostic.message.replace(&named, "what may be a secret");
            diagnostic.help.take_if(|help| help.contains(&named));
        }
    }
    diagnostics
}

/// What must not be shown of a text.
struct Covered {
    /// In order, apart from one another.
    places: Vec<Range<usize>>,
    unread: Vec<Unread>,
}

impl Covered {
    fn of(source: &str) -> Self {
        let mut tokens = lexemes(source);
        let unread = unread(source, &tokens);
        let mut all: Vec<_> = unread
            .iter()
            .flat_map(|one| one.places(source, &tokens))
            .collect();
        let comments = tokens.extract_if(.., |token| is_comment(token));
        let comments: Vec<_> = comments.map(|comment| comment.span).collect();
        all.extend(secrets(source, &tokens, &comments));
        all.sort_by_key(|place| place.start);
        let mut places: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for place in all {
            match places.last_mut() {
                Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
                _ => places.push(place),
            }
        }
        Self { places, unread }
    }

    /// The place that covers a byte.
    fn place(&self, at: usize) -> Option<&Range<usize>> {
        let begun = self.places.partition_point(|place| place.start <= at);
        let last = self.places.get(begun.checked_sub(1)?)?;
        last.contains(&at).then_some(last)
    }

    /// Whether what seems to begin at a place may be of a secret.
    fn hides(&self, source: &str, at: usize) -> bool {
        let before = self.place(at).and_then(|place| source.get(place.start..at));
        before.is_some_and(|before| before.contains([';', '}']))
            || self.unread.iter().any(|one| one.hides(at))
    }
}

/// The one that has as many bytes.
fn of_length(c: char, [one, two, three, four]: [char; 4]) -> char {
    match c.len_utf8() {
        1 => one,
        2 => two,
        3 => three,
        _ => four,
    }
}

/// What may be secret, in order: whole values, and parts of addresses.
fn secrets(source: &str, tokens: &[Lexeme<'_>], comments: &[Span]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_open = true;
    // Where what is covered of a value without quotes ends: what stands before it is no statement.
    let mut hidden = 0;
    for (at, token) in tokens.iter().enumerate() {
        if token.span.start < hidden {
            continue;
        }
        if token.is_symbol("{") {
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            is_open = before.is_some_and(|word| OPEN_MAPS.iter().any(|open| word.is_word(open)));
        } else if token.is_word("CONFIG") {
            // Its brace may be missing.
            is_open = false;
        } else if token.is_symbol("}") || token.is_symbol(";") {
            is_open = true;
        }
        if let [key, equals, value] = tokens.get(at..at + 3).unwrap_or_default()
            && !is_open
            && equals.is_symbol("=")
            && is_text(key)
        {
            let key = key.text.get(1..).unwrap_or_default();
            if is_text(value) {
                found.extend(secret(key, value));
            } else {
                let bare = bare_secret(key, source, (&tokens[at + 2..], comments));
                hidden = bare.last().map_or(hidden, |place| place.end);
                found.extend(bare);
            }
        } else if is_text(token) && token.text.contains("://") && !is_value(tokens, at, is_open) {
            found.extend(within(token, secrets_of(None, "", inner(token))));
        }
    }
    found
}

fn is_comment(token: &Lexeme<'_>) -> bool {
    matches!(token.kind, LexemeKind::Comment | LexemeKind::OpenComment)
}

fn is_text(token: &Lexeme<'_>) -> bool {
    matches!(token.kind, LexemeKind::Text | LexemeKind::OpenText)
}

/// Whether a token was looked at as the value of the key before it.
fn is_value(tokens: &[Lexeme<'_>], at: usize, is_open: bool) -> bool {
    let before = at.checked_sub(2).and_then(|from| tokens.get(from..at));
    !is_open && matches!(before, Some([key, equals]) if is_text(key) && equals.is_symbol("="))
}

/// What stands between the quotes.
fn inner<'t>(value: &Lexeme<'t>) -> &'t str {
    let closed = usize::from(value.kind == LexemeKind::Text);
    let end = value.text.len().saturating_sub(closed).max(1);
    value.text.get(1..end).unwrap_or_default()
}

/// Places between the quotes of a value, as places of the script.
fn within(value: &Lexeme<'_>, places: Vec<Range<usize>>) -> impl Iterator<Item = Range<usize>> + use<> {
    let start = value.span.start + 1;
    places
        .into_iter()
        .map(move |place| start + place.start..start + place.end)
}

/// What is secret of the value of a key; the key is written with the quote that ends it.
fn secret(key: &str, value: &Lexeme<'_>) -> impl Iterator<Item = Range<usize>> + use<> {
    within(value, places(key, inner(value)))
}

/// The same of a value that is no literal, since its quotes are missing: whatever it holds, it reaches to the next key of
/// its line or the end of that, and where a comment seems to begin in it, to the end of that comment.
fn bare_secret(key: &str, source: &str, (value, comments): (&[Lexeme<'_>], &[Span])) -> Vec<Range<usize>> {
    let start = value.first().map_or(source.len(), |token| token.span.start);
    let rest = source.get(start..).unwrap_or_default();
    let line = start + rest.find('\n').unwrap_or(rest.len());
    let is_key = |pair: &&[Lexeme<'_>]| is_text(&pair[0]) && pair[1].is_symbol("=");
    let on_line = value.windows(2).take_while(|pair| pair[0].span.start < line);
    let next = on_line.filter(is_key).map(|pair| pair[0].span.start).next();
    let begun = comments.partition_point(|comment| comment.start < next.unwrap_or(line));
    let comment = begun.checked_sub(1).and_then(|last| comments.get(last));
    let end = next.unwrap_or(line).max(comment.map_or(0, |comment| comment.end));
    let mut text = source.get(start..end).unwrap_or_default().trim_end();
    // What ends the map behind it.
    for mark in [';', '}', ','] {
        text = text.strip_suffix(mark).unwrap_or(text).trim_end();
    }
    let places = places(key, text).into_iter();
    places
        .map(|place| start + place.start..start + place.end)
        .collect()
}

/// Which places of a value's text are secret.
fn places(key: &str, text: &str) -> Vec<Range<usize>> {
    let key = key.trim_end_matches(['\'', '"']);
    if is_known(key) {
        secrets_of(None, key, text)
    } else {
        std::iter::once(0..text.len()).collect()
    }
}

/// Whether a key of some CONFIG is called that.
fn is_known(key: &str) -> bool {
    CODEC_KEYS.contains(&key)
        || ClientKind::all()
            .any(|kind| kind.key_names().any(|name| name == key) || kind.shape().owned.contains(&key))
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn secrets_of_config_are_covered_and_nothing_moves() {
        let text = "CREATE CLIENT c TYPE NATS CONFIG {'addr' = 'nats://u:hush@h:1', 'passwort' = 'hüsh', \"token\" = 'a''b',
            'creds_file' = '/c'}; -- 'password' = 'said'\nALTER EMITTER e SET TO POSTGRES p INSERT TO TABLE t VALUES {'password' = 'x'}";
        let quoted = shown(text);
        let lengths = |text: &str| {
            text.lines()
                .map(|line| (line.len(), line.chars().count()))
                .collect::<Vec<_>>()
        };
        assert_eq!(lengths(&quoted), lengths(text));
        for kept in [
            "'nats://******@h:1'",
            "'*·**'",
            "'****'",
            "'/c'",
            "'said'",
            "VALUES {'password' = 'x'}",
        ] {
            assert!(quoted.contains(kept), "{kept} in {quoted}");
        }
        assert_eq!(
            shown("CONFIG {'password' = 'open\nx"),
            "CONFIG {'password' = '****\nx"
        );
        assert_eq!(shown("CONFIG 'password' = 'open'"), "CONFIG 'password' = '****'");
    }

    #[test]
    fn secrets_without_quotes_are_covered_up_to_the_next_key() {
        for (script, quoted) in [
            (
                "CONFIG {'secret_access_key' = hush, 'region' = eu};",
                "CONFIG {'secret_access_key' = ****, 'region' = eu};",
            ),
            ("CONFIG {'password' = a,b-c$ };", "CONFIG {'password' = ****** };"),
            (
                "CONFIG {'password' = ab;cd-ef, 'addr' = 'x'}",
                "CONFIG {'password' = ********, 'addr' = 'x'}",
            ),
            (
                "CONFIG {'password' = a}b;, 'token' = 'hush'}",
                "CONFIG {'password' = ****, 'token' = '****'}",
            ),
            (
                "CONFIG {'password' = ab--cd,\n 'token' = 'hush'}",
                "CONFIG {'password' = ******,\n 'token' = '****'}",
            ),
            (
                "CONFIG {'password' = a/*b,\n 'token' = 'hush'}",
                "CONFIG {'password' = ****,\n 'token' = '****'}",
            ),
            (
                "CONFIG {'password' = a/*b,\n 'token' = 'hush*/'}",
                "CONFIG {'password' = *****\n******************'}",
            ),
            (
                "CONFIG {'token' = 12ab\n 'addr' = 'x'}",
                "CONFIG {'token' = ****\n 'addr' = 'x'}",
            ),
            ("CONFIG {'password' = hush", "CONFIG {'password' = ****"),
            ("VALUES {'password' = input.p}", "VALUES {'password' = input.p}"),
        ] {
            assert_eq!(shown(script), quoted);
        }
    }

    #[test]
    fn addresses_are_covered_wherever_they_stand() {
        for (script, quoted) in [
            (
                "CONFIG {'addr' = 'http://h/?password=hush&x=1', 'addr' = 'host=h password=hush'}",
                "CONFIG {'addr' = 'http://h/?password=****&x=*', 'addr' = 'host=***************'}",
            ),
            (
                "CREATE CLIENT c 'addr' = 'amqp://u:hush@h'",
                "CREATE CLIENT c 'addr' = '***************'",
            ),
            ("CONFIG 'amqp://u:hush@h'", "CONFIG 'amqp://******@h'"),
            ("SET a = 'amqp://u:hush@h", "SET a = 'amqp://******@h"),
            ("PATH '/a?b=c'", "PATH '/a?b=c'"),
        ] {
            assert_eq!(shown(script), quoted);
        }
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_quoted() {
        let quoted = shown("a\u{1b}[2J\u{9b}b\u{202e}c\u{feff}\td\r\n\0");
        assert_eq!(quoted, "a [2J\u{a0}b\u{fffd}c\u{fffd}\td\r\n ");
    }
}
