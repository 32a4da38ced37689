//! What a statement that could not be read was probably meant to do, so that nothing is said about what follows from
//! its fault.

use nspl_model::{EntityKey, EntityKind};
use nspl_syntax::limits::NAME_BYTES_MAX;
use nspl_syntax::{LexemeKind, Name, Parsed, Span, Statement, lexemes};

use super::model_kind;

/// A statement that could not be read.
pub(super) struct Broken<'a> {
    pub(super) span: Span,
    /// Whether its first word says that it changes the model.
    pub(super) is_model: bool,
    pub(super) does: Does<'a>,
}

/// What one does, as far as anybody can tell.
pub(super) enum Does<'a> {
    /// What could be read of it says this.
    Says(&'a nspl_syntax::Broken, &'a Statement),
    /// It was probably meant to do this.
    Guessed(Guess),
}

/// What it was probably meant to do.
#[derive(PartialEq)]
pub(super) enum Guess {
    /// CREATE, ALTER or DROP of this.
    Model(EntityKey),
    /// CREATE of something of this kind.
    CreateOf(EntityKind),
    /// ALTER or DROP of something of this kind.
    KnownOf(EntityKind),
    /// CREATE, ALTER or DROP of something with this name.
    Named(String),
    /// ALTER or DROP of something with this name.
    KnownNamed(String),
    /// UPLOAD.
    Upload,
    /// One word, which may have begun or ended a transaction.
    Word,
    Begin,
    /// COMMIT or REVERT.
    End,
    /// USE, or CREATE of a domain: which domain is meant is not known any more.
    Domain(Option<EntityKey>),
}

/// What the statements begin with that change the model.
const MODEL_VERBS: [&str; 3] = ["CREATE", "ALTER", "DROP"];

/// The words among which the kind and the name of what is defined stand.
const HEAD: usize = 16;

/// What may stand before the kind.
const BEFORE_KIND: [&str; 13] = [
    GONE, "CREATE", "ALTER", "DROP", "OR", "REPLACE", "IF", "NOT", "EXISTS", "PACED", "UNPACED", "ATTACHED",
    "DETACHED",
];

/// Where the kind is not told, the words of such a head that are no names.
const HEAD_WORDS: [&str; 24] = [
    "CREATE", "ALTER", "DROP", "OR", "REPLACE", "IF", "NOT", "EXISTS", "PACED", "UNPACED", "ATTACHED",
    "DETACHED", "WIRE", "JSON", "CBOR", "AVRO", "SCHEMA", "CODEC", "BRANCH", "RELAY", "RESOURCE", "CLIENT",
    "INGESTOR", "EMITTER",
];

/// What stands where a word is none.
const GONE: &str = "";

/// The statements that could not be read, each with what it says and every guess at it.
pub(super) fn broken_statements<'a>(parsed: &'a Parsed, text: &str) -> Vec<Broken<'a>> {
    let mut found = Vec::new();
    for broken in &parsed.broken {
        let span = broken.span;
        let written = lexemes(text.get(span.range()).unwrap_or_default());
        let written = written.iter().filter(|lexeme| lexeme.kind != LexemeKind::Comment);
        // What is no word stands for one that is gone.
        let words = written.map(|lexeme| match lexeme.kind {
            LexemeKind::Word => lexeme.text,
            _ => GONE,
        });
        let words: Vec<&str> = words.collect();
        let verb = words.first().copied().unwrap_or_default();
        let is_model = MODEL_VERBS.iter().any(|model| model.eq_ignore_ascii_case(verb));
        let says = broken.tree.as_ref().map(|tree| Does::Says(broken, tree));
        let guesses = guesses(&words, broken).into_iter().map(Does::Guessed);
        found.extend(
            says.into_iter()
                .chain(guesses)
                .map(|does| Broken { span, is_model, does }),
        );
    }
    found
}

/// What a statement was meant to do, by its words and by what could be read of it.
fn guesses(words: &[&str], broken: &nspl_syntax::Broken) -> Vec<Guess> {
    let tree = broken.tree.as_ref();
    let upper: Vec<String> = words.iter().take(HEAD).map(|word| word.to_uppercase()).collect();
    let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
    let (guess, length) = match upper.first().copied() {
        Some("BEGIN") => (Some(Guess::Begin), 1),
        Some("COMMIT" | "REVERT") => (Some(Guess::End), 1),
        Some("USE") => (Some(Guess::Domain(None)), 2),
        Some("CREATE" | "ALTER" | "DROP") => {
            target(words, &upper).map_or((None, HEAD), |(guess, length)| (Some(guess), length))
        }
        // The word itself may be wrong, or be none.
        _ if tree.is_none() => {
            let behind = |skipped: usize| {
                let found = target(words.get(skipped..)?, upper.get(skipped..)?)?;
                Some((Some(found.0), found.1 + skipped))
            };
            behind(0).or_else(|| behind(1)).unwrap_or((None, 1))
        }
        _ => (None, 1),
    };
    let mut found: Vec<Guess> = guess.into_iter().collect();
    let read = tree.and_then(by_tree).filter(|read| !found.contains(read));
    found.extend(read);
    let is_told = |tree: &Statement| broken.doubted.iter().all(|place| place.start >= head_end(tree));
    if !tree.map_or(!found.is_empty(), is_told) {
        found.extend(by_names(words, &upper));
    }
    // A `;` may be missing before the last word.
    let last = words.get(length..).unwrap_or_default().last();
    let last = last.and_then(|last| match last.to_uppercase().as_str() {
        "BEGIN" => Some(Guess::Begin),
        "COMMIT" | "REVERT" => Some(Guess::End),
        _ => None,
    });
    found.extend(last);
    found
}

/// Where the name of what a statement is about begins.
fn head_end(tree: &Statement) -> usize {
    let name = match tree {
        Statement::Create(create) => create.entity.name(),
        Statement::Alter(alter) => &alter.name,
        Statement::Drop(target) => &target.name,
        _ => return 0,
    };
    name.span.start
}

/// What could be read says so.
fn by_tree(tree: &Statement) -> Option<Guess> {
    let text = |name: &Name| match name.span.is_empty() {
        true => GONE.to_owned(),
        false => name.text.clone(),
    };
    match tree {
        Statement::Begin => Some(Guess::Begin),
        Statement::Commit | Statement::Revert => Some(Guess::End),
        Statement::Use(_) => Some(Guess::Domain(None)),
        Statement::Upload(_) => Some(Guess::Upload),
        Statement::Create(create) => {
            let kind = model_kind(create.entity.kind());
            about("CREATE", kind, &text(create.entity.name()))
        }
        Statement::Alter(alter) => about("ALTER", model_kind(alter.kind()), &text(&alter.name)),
        Statement::Drop(target) => about("DROP", model_kind(target.kind), &text(&target.name)),
        _ => None,
    }
}

/// What such a statement does to something of a kind and name.
fn about(verb: &str, kind: EntityKind, name: &str) -> Option<Guess> {
    match (name, verb, kind) {
        (GONE, "ALTER" | "DROP", kind) => Some(Guess::KnownOf(kind)),
        (GONE, _, kind) => Some(Guess::CreateOf(kind)),
        (name, _, EntityKind::Domain) => Some(Guess::Domain(Some(EntityKey::new(kind, name)))),
        (name, ..) => Some(Guess::Model(EntityKey::new(kind, name))),
    }
}

/// What it speaks of, where nothing says what it is.
fn by_names(words: &[&str], upper: &[&str]) -> Vec<Guess> {
    match upper {
        [] => return vec![Guess::Word],
        [_] => return vec![Guess::Word, Guess::Domain(None)],
        _ => {}
    }
    let verb = upper.first().copied().unwrap_or_default();
    let head = upper
        .iter()
        .take_while(|word| **word == GONE || HEAD_WORDS.contains(*word));
    let head = head.count();
    let near = words.get(head.saturating_sub(1)..=head).unwrap_or_default();
    let names = near.iter().filter(|name| **name != GONE);
    let names = names.map(|name| match verb {
        "ALTER" | "DROP" => Guess::KnownNamed((*name).to_owned()),
        _ => Guess::Named((*name).to_owned()),
    });
    let other = match (verb, upper.len()) {
        ("CREATE" | "ALTER" | "DROP", _) => None,
        (_, 2) => Some(Guess::Domain(None)),
        _ => Some(Guess::Upload),
    };
    names.chain(other).collect()
}

/// What is created, altered or dropped, and the words up to its name.
fn target(words: &[&str], upper: &[&str]) -> Option<(Guess, usize)> {
    let at = behind(upper, 0, &BEFORE_KIND);
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
    let text = words.get(name).copied().unwrap_or_default();
    if text.len() > NAME_BYTES_MAX {
        return None;
    }
    let verb = upper.first().copied().unwrap_or_default();
    Some((about(verb, kind, text)?, name + 1))
}

/// The index behind those of the words that follow from `from` on.
fn behind(upper: &[&str], from: usize, skipped: &[&str]) -> usize {
    let rest = upper.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|word| skipped.contains(word)).count()
}
