//! What may be typed at a place of a script: from the grammar, the catalog, the nodes, and what the script itself creates
//! before.
//!
//! A pure function of text, cursor and what is known; everything in the text may be broken or unfinished. The grammar
//! says what belongs at the cursor (`nspl-syntax`), the scene says what the statement has named so far, and a room a
//! sort of candidate turns both into texts. What stands behind the cursor is not read. It deliberately judges nothing:
//! a candidate fits the place, not the whole statement.

mod candidate;
mod clients;
mod expressions;
mod fields;
mod guess;
mod names;
mod otel;
mod scene;
mod surroundings;
mod values;

use std::ops::Range;

use nspl_check::Catalog;
use nspl_syntax::{Proposal, Typed, propose};

use candidate::Gathering;
pub use candidate::{CANDIDATES_MAX, Candidate, CandidateKind, Completion};
use scene::Scene;
use surroundings::Surroundings;

/// The bytes before the cursor that are read: of a longer text, the statements before that are not looked at.
pub const COMPLETION_TEXT_BYTES_MAX: usize = 64 << 10;

/// What is known besides the text.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// What is stored.
    pub catalog: &'a Catalog,
    /// The domain of the statements before the first USE.
    pub domain: Option<&'a str>,
    /// The names of the nodes.
    pub nodes: &'a [String],
}

/// What fits at byte `cursor` of `text`, most likely first.
///
/// A cursor inside a character is that character's begin, one past the end is the end. The spans of the candidates are
/// bytes of `text`.
pub fn complete(text: &str, cursor: usize, known: &Known<'_>) -> Completion {
    let cursor = text.floor_char_boundary(cursor.min(text.len()));
    let begin = beginning(text, cursor);
    let before = text.get(begin..cursor).unwrap_or_default();
    let proposal = propose(before);
    if proposal.typed == Typed::Comment {
        return Completion::default();
    }
    let earlier = before.get(..proposal.statement).unwrap_or_default();
    let statement = before
        .get(proposal.statement..proposal.span.start)
        .unwrap_or_default();
    let place = Place {
        surroundings: &Surroundings::read(earlier, known.catalog, known.domain),
        nodes: known.nodes,
        scene: &Scene::read(statement),
        proposal: &proposal,
    };
    let typed = before.get(proposal.span.range()).unwrap_or_default();
    let end = cursor + rest_of_word(text, cursor, proposal.typed);
    let mut gathering = Gathering::new(typed, begin + proposal.span.start..end);
    place.gather(&mut gathering);
    gathering.finish()
}

/// A place of a script with all that is known about it.
struct Place<'a> {
    surroundings: &'a Surroundings,
    nodes: &'a [String],
    scene: &'a Scene<'a>,
    proposal: &'a Proposal,
}

impl Place<'_> {
    fn gather(&self, into: &mut Gathering<'_>) {
        let guessed;
        let labels = match self.proposal.places.is_empty() && self.proposal.words.is_empty() {
            // The grammar is silent behind a fault.
            true => {
                guessed = guess::label(self.scene);
                guessed.as_slice()
            }
            false => self.proposal.places.as_slice(),
        };
        for label in labels {
            names::gather(label, self, into);
            fields::gather(label, self, into);
            clients::gather(label, self, into);
            values::gather(label, self, into);
            otel::gather(label, self, into);
        }
        if labels.contains(&"an expression") {
            expressions::gather(self, into);
        }
        for word in &self.proposal.words {
            let kind = match word.starts_with(|first: char| first.is_ascii_alphabetic()) {
                true => CandidateKind::Keyword,
                false => CandidateKind::Symbol,
            };
            into.push(kind, *word, "");
        }
        if labels.contains(&"an operator") {
            expressions::operators(into);
        }
    }
}

/// Where reading begins: at the start, or in a long text at a line that begins a statement.
fn beginning(text: &str, cursor: usize) -> usize {
    let Some(least) = cursor.checked_sub(COMPLETION_TEXT_BYTES_MAX) else {
        return 0;
    };
    let least = text.ceil_char_boundary(least);
    let near = text.get(least..cursor).unwrap_or_default();
    let begins = |line: &str| {
        ["CREATE ", "ALTER ", "DROP ", "USE ", "BEGIN;"]
            .iter()
            .any(|word| {
                line.get(..word.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(word))
            })
    };
    let mut at = least;
    for (index, line) in near.split_inclusive(['\n', '\r']).enumerate() {
        if index > 0 && begins(line) {
            return at;
        }
        at += line.len();
    }
    least
}

/// How many bytes behind the cursor belong to what is being typed.
fn rest_of_word(text: &str, cursor: usize, typed: Typed) -> usize {
    let rest = text.get(cursor..).unwrap_or_default();
    let is_name = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let count = |holds: &dyn Fn(u8) -> bool| rest.bytes().take_while(|byte| holds(*byte)).count();
    match typed {
        Typed::Word | Typed::Number => count(&is_name),
        Typed::Text => {
            let inside = count(&|byte| is_name(byte) || byte == b'.');
            let closed = matches!(rest.as_bytes().get(inside), Some(b'\'' | b'"'));
            inside * usize::from(closed) + usize::from(closed)
        }
        Typed::Nothing | Typed::Comment => 0,
    }
}

/// A span of the text as candidates carry it.
type Span = Range<usize>;
