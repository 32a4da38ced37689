//! What a statement that could not be read was probably meant to do, so that nothing is said about what follows from
//! its fault.

use nspl_model::{EntityKey, EntityKind};
use nspl_syntax::limits::NAME_BYTES_MAX;
use nspl_syntax::{LexemeKind, Parsed, Span, lexemes};

/// A statement that could not be read.
pub(super) struct Broken {
    pub(super) span: Span,
    pub(super) guess: Guess,
}

/// What it was probably meant to do.
pub(super) enum Guess {
    /// CREATE, ALTER or DROP of this.
    Model(EntityKey),
    Begin,
    /// COMMIT or REVERT.
    End,
    /// USE, or CREATE of a domain: which domain is meant is not known any more.
    Domain(Option<EntityKey>),
}

/// The words among which the kind and the name of what is defined stand.
const HEAD: usize = 16;

/// The statements that could not be read, each with every guess at it.
pub(super) fn broken_statements(parsed: &Parsed, text: &str) -> Vec<Broken> {
    let mut found = Vec::new();
    for span in parsed.broken.iter().map(|broken| broken.span) {
        let written = lexemes(text.get(span.range()).unwrap_or_default());
        let words = written.iter().filter(|lexeme| lexeme.kind == LexemeKind::Word);
        let words: Vec<&str> = words.map(|lexeme| lexeme.text).collect();
        let guesses = guesses(&words);
        found.extend(guesses.into_iter().map(|guess| Broken { span, guess }));
    }
    found
}

fn guesses(words: &[&str]) -> Vec<Guess> {
    let upper: Vec<String> = words.iter().take(HEAD).map(|word| word.to_uppercase()).collect();
    let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
    let (guess, length) = match upper.first().copied() {
        Some("BEGIN") => (Some(Guess::Begin), 1),
        Some("COMMIT" | "REVERT") => (Some(Guess::End), 1),
        Some("USE") => (Some(Guess::Domain(None)), 2),
        Some("CREATE" | "ALTER" | "DROP") => {
            target(words, &upper).map_or((None, HEAD), |(guess, length)| (Some(guess), length))
        }
        _ => (None, 1),
    };
    // A `;` may be missing before the last word.
    let last = words.get(length..).unwrap_or_default().last();
    let last = last.and_then(|last| match last.to_uppercase().as_str() {
        "BEGIN" => Some(Guess::Begin),
        "COMMIT" | "REVERT" => Some(Guess::End),
        _ => None,
    });
    guess.into_iter().chain(last).collect()
}

/// What is created, altered or dropped, and the words up to its name.
fn target(words: &[&str], upper: &[&str]) -> Option<(Guess, usize)> {
    let at = behind(
        upper,
        0,
        &[
            "CREATE", "ALTER", "DROP", "OR", "REPLACE", "IF", "NOT", "EXISTS", "PACED", "UNPACED",
            "ATTACHED", "DETACHED",
        ],
    );
    let (kind, length) = EntityKind::ALL.into_iter().find_map(|kind| {
        let length = kind.words().split(' ').count();
        let written = upper.get(at..at + length)?;
        kind.words()
            .split(' ')
            .eq(written.iter().copied())
            .then_some((kind, length))
    })?;
    let mut name = at + length;
    if matches!(upper.get(name..), Some(["IF", "NOT" | "EXISTS", ..])) {
        name = behind(upper, name, &["IF", "NOT", "EXISTS"]);
    }
    let text = *words.get(name)?;
    if text.len() > NAME_BYTES_MAX {
        return None;
    }
    let key = EntityKey::new(kind, text);
    let guess = match kind {
        EntityKind::Domain => Guess::Domain(Some(key)),
        _ => Guess::Model(key),
    };
    Some((guess, name + 1))
}

/// The index behind those of the words that follow from `from` on.
fn behind(upper: &[&str], from: usize, skipped: &[&str]) -> usize {
    let rest = upper.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|word| skipped.contains(word)).count()
}
