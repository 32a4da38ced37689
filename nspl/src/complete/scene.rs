//! What an unfinished statement has named so far: its kind, its relays and schemas, the clause that is being written.
//!
//! It is read from the words alone and never fails: a tree exists only of statements that are whole. A name that happens
//! to be a keyword may mislead it; then fewer or other candidates are proposed, and nothing worse.

use nspl_model::EntityKind;
use nspl_syntax::{Lexeme, LexemeKind, lexemes};

/// A record of which the statement names the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin<'a> {
    /// SCHEMA, CODEC, RELAY or BRANCH.
    pub(super) kind: EntityKind,
    pub(super) name: &'a str,
}

/// The clause that is being written, as far as it matters for what it may read and name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Clause {
    /// Reads no fields, or which it reads is not known.
    #[default]
    Other,
    /// The FROM list of an emitter.
    Sources,
    /// WHERE of a source, FILTER WHERE of an ingestor.
    SourceFilter,
    Inherit,
    Except,
    /// SET of a route.
    Set,
    /// SET behind BRANCHED BY.
    BranchSet,
    /// SET of an error route.
    ErrorSet,
    /// WHERE of a route, INVOKE.
    Finished,
    /// VALUES, ATTRIBUTES, FIFO GROUP, METHOD, PATH: reads the source row.
    Values,
    /// The constants of a materialized dependency.
    Default,
    /// CONFIG.
    Config,
    /// ON CONFLICT.
    Conflict,
    /// ENCODE of a codec.
    Encode,
}

/// What has been named so far.
#[derive(Debug, Default)]
pub(super) struct Scene<'a> {
    /// Without comments.
    pub(super) tokens: Vec<Lexeme<'a>>,
    /// CREATE, ALTER, DROP ... as it is written; empty where nothing is.
    pub(super) verb: &'a str,
    /// What CREATE or ALTER are about.
    pub(super) kind: Option<EntityKind>,
    /// Which token is the name of that.
    pub(super) name_at: usize,
    pub(super) clause: Clause,
    /// The relays of the FROM list.
    pub(super) sources: Vec<&'a str>,
    /// The relays of USING MATERIALIZED STATE.
    pub(super) states: Vec<&'a str>,
    /// What comes in where no relay does.
    pub(super) input: Option<Origin<'a>>,
    /// What is built.
    pub(super) output: Option<Origin<'a>>,
    /// The relay of SEND TO.
    pub(super) error_relay: Option<&'a str>,
    /// The branch of BRANCHED BY.
    pub(super) branch: Option<&'a str>,
    /// The fields that the clause has named already.
    pub(super) named: Vec<&'a str>,
    /// The keys of the map that is open, without their quotes.
    pub(super) keys: Vec<String>,
    /// The word behind TYPE.
    pub(super) client_kind: Option<&'a str>,
}

impl<'a> Scene<'a> {
    /// Reads a statement up to the cursor.
    pub(super) fn read(statement: &'a str) -> Scene<'a> {
        let mut tokens = lexemes(statement);
        tokens.retain(|token| !matches!(token.kind, LexemeKind::Comment | LexemeKind::OpenComment));
        let mut scene = Scene {
            tokens,
            ..Scene::default()
        };
        scene.head();
        let mut depth = 0_usize;
        for at in 0..scene.tokens.len() {
            let Some(token) = scene.tokens.get(at).copied() else {
                break;
            };
            match token.kind {
                LexemeKind::Symbol => scene.mark(token.text, at, &mut depth),
                LexemeKind::Word if depth == 0 && at >= scene.name_at => scene.word(at),
                LexemeKind::Text if depth > 0 && scene.is_symbol(at + 1, "=") => {
                    scene.keys.push(unquoted(token.text));
                }
                _ => {}
            }
        }
        scene
    }

    /// The word so many tokens before the cursor, in upper case; 1 is the last. Empty where it is no word.
    pub(super) fn word_back(&self, back: usize) -> String {
        let at = self.tokens.len().checked_sub(back);
        at.map(|at| self.upper(at)).unwrap_or_default()
    }

    /// Which of the words stands nearest before the cursor, outside of maps and parentheses.
    pub(super) fn last_of(&self, words: &[&'static str]) -> Option<&'static str> {
        let mut depth = 0_usize;
        let mut found = None;
        for token in &self.tokens {
            match (token.kind, token.text) {
                (LexemeKind::Symbol, "(" | "[" | "{") => depth += 1,
                (LexemeKind::Symbol, ")" | "]" | "}") => depth = depth.saturating_sub(1),
                (LexemeKind::Word, text) if depth == 0 => {
                    let word = words.iter().find(|word| text.eq_ignore_ascii_case(word));
                    found = word.copied().or(found);
                }
                _ => {}
            }
        }
        found
    }

    /// The token so many before the cursor; 1 is the last.
    pub(super) fn back(&self, back: usize) -> Option<&Lexeme<'a>> {
        self.tokens.get(self.tokens.len().checked_sub(back)?)
    }

    /// Whether CREATE is about to name what it creates.
    pub(super) fn names_new(&self) -> bool {
        self.verb.eq_ignore_ascii_case("CREATE") && self.tokens.len() == self.name_at
    }

    /// The name of what is altered or created.
    pub(super) fn name(&self) -> Option<&'a str> {
        self.word_at(self.name_at)
    }

    /// Verb, kind and name.
    fn head(&mut self) {
        self.verb = self.word_at(0).unwrap_or_default();
        let skipped = ["IF", "NOT", "EXISTS", "PACED", "UNPACED", "ATTACHED", "DETACHED"];
        let at = (1..self.tokens.len()).find(|at| !skipped.contains(&self.upper(*at).as_str()));
        let found = at.and_then(|at| {
            let kinds = EntityKind::ALL.into_iter();
            let mut fitting = kinds.filter_map(|kind| {
                let words = kind.words().split(' ');
                let length = words.clone().count();
                let fits = words
                    .enumerate()
                    .all(|(index, word)| self.upper(at + index) == word);
                fits.then_some((kind, at + length))
            });
            fitting.next()
        });
        (self.kind, self.name_at) = match found {
            Some((kind, name_at)) => (Some(kind), name_at),
            None => (None, 1),
        };
    }

    /// Whether a comma here stands between sources.
    fn lists_sources(&self) -> bool {
        self.kind == Some(EntityKind::Emitter)
            && matches!(self.clause, Clause::Sources | Clause::SourceFilter)
    }

    fn mark(&mut self, mark: &str, at: usize, depth: &mut usize) {
        match mark {
            "{" => {
                *depth += 1;
                self.keys.clear();
            }
            "(" | "[" => *depth += 1,
            ")" | "]" | "}" => *depth = depth.saturating_sub(1),
            "," if *depth == 0 && self.lists_sources() => {
                self.clause = Clause::Sources;
                self.sources.extend(self.word_at(at + 1));
            }
            "," if *depth == 0 && matches!(self.clause, Clause::Inherit | Clause::Except) => {
                self.named.extend(self.word_at(at + 1));
            }
            _ => {}
        }
    }

    /// A word outside of parentheses and braces.
    fn word(&mut self, at: usize) {
        let is_part = at > 0 && self.is_symbol(at - 1, ".");
        if self.is_symbol(at + 1, "=") {
            self.named.extend(self.word_at(at));
            return;
        }
        if is_part || (at == self.name_at && self.kind.is_some()) {
            return;
        }
        let (word, before, next) = (
            self.upper(at),
            self.upper(at.wrapping_sub(1)),
            self.word_at(at + 1),
        );
        if self.names_something(&word, &before, next) {
            return;
        }
        let clause = match (word.as_str(), before.as_str()) {
            ("SET", _) if self.error_relay.is_some() => Clause::ErrorSet,
            ("SET", _) if self.branch.is_some() => Clause::BranchSet,
            ("SET", _) => Clause::Set,
            ("WHERE", "FILTER") => Clause::SourceFilter,
            ("WHERE", _) if self.is_over_source() => Clause::SourceFilter,
            ("WHERE" | "INVOKE", _) => Clause::Finished,
            ("INHERIT", _) => Clause::Inherit,
            ("EXCEPT", _) => Clause::Except,
            ("VALUES" | "ATTRIBUTES" | "METHOD" | "PATH", _) | ("GROUP", "FIFO") => Clause::Values,
            ("DEFAULT", _) => Clause::Default,
            ("CONFIG", _) => Clause::Config,
            ("CONFLICT", _) => Clause::Conflict,
            ("ENCODE", _) if self.kind == Some(EntityKind::Codec) => Clause::Encode,
            (
                "MODE" | "FLUSH" | "BATCH" | "COMMIT" | "UNBRANCHED" | "ON" | "TO" | "RESOURCE" | "SCOPE",
                _,
            ) => Clause::Other,
            _ => return,
        };
        self.clause = clause;
        self.named.clear();
        if matches!(clause, Clause::Inherit | Clause::Except) {
            self.named.extend(next);
        }
    }

    /// Keeps the name behind a word that one follows; whether the word is done with.
    fn names_something(&mut self, word: &str, before: &str, next: Option<&'a str>) -> bool {
        let origin = |kind| next.map(|name| Origin { kind, name });
        let emitter = self.kind == Some(EntityKind::Emitter);
        let ingestor = self.kind == Some(EntityKind::Ingestor);
        match (word, before) {
            ("FROM", _) if emitter => {
                self.clause = Clause::Sources;
                self.sources.extend(next);
            }
            ("STATE", "MATERIALIZED") if emitter || ingestor => {
                self.clause = Clause::Other;
                self.states.extend(next);
            }
            ("TO", "SEND") => {
                self.error_relay = next;
                self.clause = Clause::Other;
            }
            ("TO", _) if ingestor => {
                self.output = origin(EntityKind::Relay);
                (self.error_relay, self.branch, self.clause) = (None, None, Clause::Other);
            }
            ("BY", "BRANCHED") => self.branch = next,
            ("SCHEMA", _) if ingestor => self.input = origin(EntityKind::Schema),
            ("SCHEMA", _) if emitter || (self.kind == Some(EntityKind::Codec) && before == "TO") => {
                self.output = origin(EntityKind::Schema);
            }
            ("USING", "DECODE") => self.input = origin(EntityKind::Codec),
            ("USING", "ENCODE") => self.output = origin(EntityKind::Codec),
            ("TYPE", _) => self.client_kind = next,
            ("GENERAL", "ON") => {
                self.error_relay = None;
                self.clause = Clause::Other;
            }
            _ => return false,
        }
        true
    }

    /// Whether a WHERE here filters what comes in.
    fn is_over_source(&self) -> bool {
        let altered = self.verb.eq_ignore_ascii_case("ALTER") && self.output.is_none();
        self.clause == Clause::Sources || (altered && self.kind == Some(EntityKind::Emitter))
    }

    fn word_at(&self, at: usize) -> Option<&'a str> {
        let token = self.tokens.get(at)?;
        (token.kind == LexemeKind::Word).then_some(token.text)
    }

    fn upper(&self, at: usize) -> String {
        self.word_at(at).map(str::to_ascii_uppercase).unwrap_or_default()
    }

    fn is_symbol(&self, at: usize, symbol: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_symbol(symbol))
    }
}

/// The value of a string literal.
fn unquoted(text: &str) -> String {
    let Some(quote) = text.chars().next() else {
        return String::new();
    };
    let inside = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside
        .unwrap_or_default()
        .replace(&format!("{quote}{quote}"), &quote.to_string())
}
