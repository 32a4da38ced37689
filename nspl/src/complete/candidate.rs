//! What is proposed, and how proposals are gathered up to their bound.

use std::collections::HashSet;

use nspl_model::EntityKind;

use super::Span;

/// The candidates of one answer; what there is beyond them is only said to exist.
pub const CANDIDATES_MAX: usize = 256;

/// One text that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What to put in place of the span.
    pub text: String,
    /// What it is.
    pub kind: CandidateKind,
    /// A few words about it: a type, a signature, whether it is required; may be empty.
    pub detail: String,
    /// The bytes it replaces; empty where something new begins.
    pub span: Span,
}

/// What fits at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Most likely first, each text once, at most [`CANDIDATES_MAX`].
    pub candidates: Vec<Candidate>,
    /// Whether there are more.
    pub more: bool,
}

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// A word or phrase of the grammar.
    Keyword,
    /// A mark of the grammar.
    Symbol,
    /// The name of an entity.
    Entity(EntityKind),
    /// The name of a node.
    Node,
    /// A field of a schema.
    Field,
    /// A scope of fields, with its point.
    Scope,
    /// A function, with its parenthesis.
    Function,
    /// A key of a map, quoted.
    Key,
    /// A value that its key takes.
    Value,
    /// A kind of client.
    ClientKind,
    /// A type of a field.
    Type,
    /// A type of a wire schema.
    WireType,
    /// A number with its unit.
    Quantity,
}

impl CandidateKind {
    /// A word for programs, in lower case.
    pub fn word(self) -> &'static str {
        match self {
            CandidateKind::Keyword => "keyword",
            CandidateKind::Symbol => "symbol",
            CandidateKind::Entity(kind) => entity_word(kind),
            CandidateKind::Node => "node",
            CandidateKind::Field => "field",
            CandidateKind::Scope => "scope",
            CandidateKind::Function => "function",
            CandidateKind::Key => "key",
            CandidateKind::Value => "value",
            CandidateKind::ClientKind => "client kind",
            CandidateKind::Type => "type",
            CandidateKind::WireType => "wire type",
            CandidateKind::Quantity => "quantity",
        }
    }
}

fn entity_word(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Domain => "domain",
        EntityKind::Schema => "schema",
        EntityKind::WireJsonSchema | EntityKind::WireCborSchema | EntityKind::WireAvroSchema => "wire schema",
        EntityKind::Codec => "codec",
        EntityKind::Branch => "branch",
        EntityKind::Relay => "relay",
        EntityKind::Resource => "resource",
        EntityKind::Client => "client",
        EntityKind::Ingestor => "ingestor",
        EntityKind::Emitter => "emitter",
    }
}

/// The candidates so far: those that begin with what is typed, in any case, each text once.
pub(super) struct Gathering<'t> {
    typed: &'t str,
    span: Span,
    seen: HashSet<String>,
    completion: Completion,
}

impl<'t> Gathering<'t> {
    pub(super) fn new(typed: &'t str, span: Span) -> Gathering<'t> {
        Gathering {
            typed,
            span,
            seen: HashSet::new(),
            completion: Completion::default(),
        }
    }

    /// What is typed so far, a quote included.
    pub(super) fn typed(&self) -> &'t str {
        self.typed
    }

    pub(super) fn push(&mut self, kind: CandidateKind, text: impl Into<String>, detail: impl Into<String>) {
        let text = text.into();
        let head = text.get(..self.typed.len());
        if !head.is_some_and(|head| head.eq_ignore_ascii_case(self.typed)) || self.seen.contains(&text) {
            return;
        }
        if self.completion.candidates.len() == CANDIDATES_MAX {
            self.completion.more = true;
            return;
        }
        self.seen.insert(text.clone());
        self.completion.candidates.push(Candidate {
            text,
            kind,
            detail: detail.into(),
            span: self.span.clone(),
        });
    }

    /// A string literal, in the quote that was begun.
    pub(super) fn push_quoted(&mut self, kind: CandidateKind, text: &str, detail: impl Into<String>) {
        let quote = self
            .typed
            .chars()
            .next()
            .filter(|first| *first == '"')
            .unwrap_or('\'');
        let doubled = text.replace(quote, &format!("{quote}{quote}"));
        self.push(kind, format!("{quote}{doubled}{quote}"), detail);
    }

    pub(super) fn finish(self) -> Completion {
        self.completion
    }
}
