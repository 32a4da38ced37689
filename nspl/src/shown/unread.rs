//! CREATE and ALTER CLIENT that cannot be read: behind the kind, anything may be a secret that lost its quotes, its key or
//! the mark before it, so nothing of it is shown but what is known to be none.

use std::ops::Range;

use nspl_syntax::client::is_clause_word;
use nspl_syntax::{Lexeme, LexemeKind, Span, parse};

use super::{inner, is_comment, is_known};

/// The part of a text that one such statement may reach over: to the end of its line, and of what begins there.
pub(super) struct Unread {
    place: Range<usize>,
    /// Where what seems to be another statement begins.
    next: usize,
}

impl Unread {
    /// Whether what begins at a place seems to be another statement, and may be of a secret.
    pub(super) fn hides(&self, at: usize) -> bool {
        self.place.contains(&at) && at >= self.next
    }

    pub(super) fn contains(&self, at: usize) -> bool {
        self.place.contains(&at)
    }

    /// Everything that is covered, in order.
    pub(super) fn places(&self, source: &str, lexemes: &[Lexeme<'_>]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut before = self.place.start;
        for lexeme in lexemes.get(within(lexemes, &self.place)).unwrap_or_default() {
            found.extend(between(source, before..lexeme.span.start));
            found.extend(covered(lexeme));
            before = lexeme.span.end;
        }
        found.extend(between(source, before..self.place.end));
        found
    }
}

/// What begins no token, and is not blank.
fn between(source: &str, place: Range<usize>) -> Option<Range<usize>> {
    let text = source.get(place.clone())?;
    let start = place.start + (text.len() - text.trim_start().len());
    let end = place.start + text.trim_end().len();
    (start < end).then_some(start..end)
}

/// What of a lexeme may be secret.
fn covered(lexeme: &Lexeme<'_>) -> Option<Range<usize>> {
    let whole = lexeme.span.range();
    match lexeme.kind {
        LexemeKind::Symbol => None,
        LexemeKind::Word => (!is_clause_word(lexeme.text)).then_some(whole),
        LexemeKind::Text | LexemeKind::OpenText => {
            let text = inner(lexeme);
            let start = whole.start + 1;
            (!is_known(text)).then_some(start..start + text.len())
        }
        LexemeKind::Number | LexemeKind::Comment | LexemeKind::OpenComment => Some(whole),
    }
}

/// All of them in a text, in order.
pub(super) fn unread(source: &str, lexemes: &[Lexeme<'_>]) -> Vec<Unread> {
    if !lexemes.iter().any(|lexeme| lexeme.is_word("CLIENT")) {
        return Vec::new();
    }
    let parsed = parse(source);
    let statements = parsed.statements.iter().map(|statement| statement.span);
    let broken: Vec<Span> = parsed.broken.iter().map(|broken| broken.span).collect();
    let mut all: Vec<Span> = statements.chain(broken.iter().copied()).collect();
    all.sort_by_key(|span| span.start);
    let mut found: Vec<Unread> = Vec::new();
    for broken in broken {
        if found.last().is_some_and(|last| last.contains(broken.start)) {
            continue;
        }
        let tokens = lexemes.get(within(lexemes, &broken.range())).unwrap_or_default();
        if let Some(start) = behind_the_kind(tokens) {
            let behind = all.partition_point(|span| span.start < broken.end);
            let behind = all.get(behind..).unwrap_or_default();
            let end = reach(source, broken, behind);
            found.push(Unread {
                place: start..end,
                next: behind.first().map_or(end, |next| next.start),
            });
        }
    }
    found
}

/// Where a CREATE or ALTER CLIENT may begin to hold secrets.
fn behind_the_kind(tokens: &[Lexeme<'_>]) -> Option<usize> {
    let mut tokens = tokens.iter().filter(|token| !is_comment(token));
    let first = tokens.next()?;
    if !(first.is_word("CREATE") || first.is_word("ALTER")) {
        return None;
    }
    // What other languages write there is a slip like others.
    const BETWEEN: [&str; 5] = ["IF", "NOT", "EXISTS", "OR", "REPLACE"];
    let between = |token: &&Lexeme<'_>| BETWEEN.iter().any(|word| token.is_word(word));
    let mut tokens = tokens.skip_while(between);
    let client = tokens.next().filter(|token| token.is_word("CLIENT"))?;
    let name = tokens.next().map_or(client.span, |name| name.span);
    let kind = tokens.next().filter(|word| word.is_word("TYPE"));
    let kind = kind.map(|word| tokens.next().map_or(word.span, |kind| kind.span));
    Some(kind.unwrap_or(name).end)
}

/// A secret may hold what ends statements, so the end of the line is waited for, and that of what begins before it.
fn reach(source: &str, broken: Span, behind: &[Span]) -> usize {
    let line_end = |at: usize| {
        let rest = source.get(at..).unwrap_or_default();
        at + rest.find('\n').unwrap_or(rest.len())
    };
    behind.iter().fold(line_end(broken.end), |end, span| {
        if span.start < end {
            end.max(line_end(span.end))
        } else {
            end
        }
    })
}

/// Which lexemes begin in a place.
fn within(lexemes: &[Lexeme<'_>], place: &Range<usize>) -> Range<usize> {
    let index = |at: usize| lexemes.partition_point(|lexeme| lexeme.span.start < at);
    index(place.start)..index(place.end)
}

#[cfg(test)]
mod tests {
    use nspl_check::{Catalog, Settings};

    use crate::{Colour, format, render, report::check_while, shown::shown};

    /// Slips in the entry of a secret; `K` stands for its key, `S` for the secret.
    const SLIPS: [&str; 38] = [
        "'K' S",
        "'K' 'S'",
        "'K': 'S'",
        "'K': S",
        "'K' => 'S'",
        "'K' == 'S'",
        "'K' := 'S'",
        "K = 'S'",
        "K = S",
        "K 'S'",
        "`K` = 'S'",
        "'K = 'S'",
        "'K' = ''S''",
        "'K' = 'it'sS'",
        "'K' = 'a'S",
        "'K' = 'a' || 'S'",
        "'K' = 'a' + 'S'",
        "'K' = ('S')",
        "'K' = ['S']",
        "'K' = {'a' = 'S'}",
        "'K' = concat('S', 'b')",
        "'K' = -- S",
        "'K' = /* S */ 'x",
        "'K' = E'S'",
        "'K' = a;S",
        "'K' = a}S",
        "'K' = 'a' 'S'",
        "'K' = 12S",
        "'K' = \u{201c}S\u{201d}",
        "\u{2018}K\u{2019} = \u{2018}S\u{2019}",
        "'K' = S = b",
        "= 'S'",
        "'S'",
        "S",
        "'K', 'S'",
        "'K' = a 'b' = 'S'",
        "'K' = $S",
        "'K' = ;\u{fc}S",
    ];

    #[test]
    fn no_slip_in_a_client_shows_its_secret_in_an_excerpt_or_a_message() {
        let statements = SLIPS.iter().flat_map(|slip| {
            let entry = slip.replace('K', "sasl.password").replace('S', "hush");
            [
                std::format!("CREATE CLIENT c TYPE KAFKA CONFIG {{'bootstrap.servers' = 'x', {entry}}};"),
                std::format!("CREATE CLIENT c TYPE KAFKA CONFIG {{\n  {entry},\n  'bootstrap.servers' = 'x'\n}};\nUSE d;"),
                std::format!("ALTER CLIENT c SET {entry};"),
                std::format!("CREATE IF NOT EXISTS CLIENT c TYPE KAFKA {entry} CONFIG {{}};"),
            ]
        });
        for script in statements {
            let found = format(&script).expect_err(&script);
            let report = check_while(&script, &Settings::default(), &Catalog::default(), &|| true);
            for diagnostic in found.into_iter().chain(report.unwrap_or_default().diagnostics) {
                let shown = render(&diagnostic, "a.nspl", &script, Colour::Never);
                let told = std::format!("{shown}{diagnostic:?}");
                assert!(!told.contains("hush"), "{script}\n{told}");
            }
        }
    }

    #[test]
    fn what_is_no_secret_and_other_statements_are_shown() {
        for (script, quoted) in [
            (
                "CREATE CLIENT c TYPE NATS POOL SIZE MIN 1 MAX 4 CONFG {'addr' = 'nats://h', token = 'hush'};\nUSE d",
                "CREATE CLIENT c TYPE NATS POOL SIZE MIN * MAX * ***** {'addr' = '********', ***** = '****'};\nUSE d",
            ),
            (
                "ALTER CLIENT c SET 'user' = 'u';\nCREATE SCHEMA s (a I65)",
                "ALTER CLIENT c SET 'user' = '*';\nCREATE SCHEMA s (a I65)",
            ),
            ("CREATE RELAY client 'a'", "CREATE RELAY client 'a'"),
            ("CREATE SCHEMA s (CLIENT 'a')", "CREATE SCHEMA s (CLIENT 'a')"),
        ] {
            assert_eq!(shown(script), quoted);
        }
    }
}
