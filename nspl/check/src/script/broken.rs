//! What a statement that could not be read was probably meant to do, so that nothing is said about what follows from
//! its fault.

use nspl_model::{EntityKey, EntityKind};
use nspl_syntax::limits::NAME_BYTES_MAX;
use nspl_syntax::{Parsed, Span};

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
    Nothing,
}

/// The gaps between the statements that hold a fault, cut at their semicolons.
pub(super) fn broken_statements(parsed: &Parsed, text: &str) -> Vec<Broken> {
    let mut found = Vec::new();
    let mut from = 0;
    let ends = parsed
        .statements
        .iter()
        .map(|statement| (statement.span.start, statement.span.end));
    for (start, end) in ends.chain([(text.len(), text.len())]) {
        if let Some(gap) = text.get(from..start) {
            pieces(gap, from, &mut found);
        }
        from = from.max(end);
    }
    let mut places: Vec<usize> = parsed.faults.iter().map(|fault| fault.span.start).collect();
    places.sort_unstable();
    found.retain(|broken| {
        let next = places.partition_point(|at| *at < broken.span.start);
        let holds = places.get(next).is_some_and(|at| *at <= broken.span.end);
        holds && !matches!(broken.guess, Guess::Nothing)
    });
    found
}

fn pieces(gap: &str, offset: usize, found: &mut Vec<Broken>) {
    let mut from = offset;
    for piece in gap.split(';') {
        let span = Span::new(from, from + piece.len());
        from = span.end + 1;
        found.push(Broken {
            span,
            guess: guess(piece),
        });
    }
}

fn guess(text: &str) -> Guess {
    let without_comments = text
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    let words: Vec<&str> = without_comments
        .flat_map(|line| line.split(|c: char| c != '_' && !c.is_alphanumeric()))
        .collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let upper: Vec<String> = words.iter().take(10).map(|word| word.to_uppercase()).collect();
    let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
    match upper.first().copied() {
        Some("BEGIN") => Guess::Begin,
        Some("COMMIT" | "REVERT") => Guess::End,
        Some("USE") => Guess::Domain(None),
        Some("CREATE" | "ALTER" | "DROP") => target(&words, &upper).unwrap_or(Guess::Nothing),
        _ => Guess::Nothing,
    }
}

fn target(words: &[&str], upper: &[&str]) -> Option<Guess> {
    let skipped = [
        "CREATE", "ALTER", "DROP", "IF", "NOT", "EXISTS", "PACED", "UNPACED", "ATTACHED", "DETACHED",
    ];
    let at = upper.iter().position(|word| !skipped.contains(word))?;
    let (kind, length) = EntityKind::ALL.into_iter().find_map(|kind| {
        let length = kind.words().split(' ').count();
        let written = upper.get(at..at + length)?;
        kind.words()
            .split(' ')
            .eq(written.iter().copied())
            .then_some((kind, length))
    })?;
    let name = *words.get(at + length)?;
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let key = EntityKey::new(kind, name);
    Some(if kind == EntityKind::Domain {
        Guess::Domain(Some(key))
    } else {
        Guess::Model(key)
    })
}
