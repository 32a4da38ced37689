//! The edits that may let reading go on, the likeliest first.

use std::ops::Range;

use crate::data_type::DATA_TYPE;
use crate::fault::clause::{Clause, Outline, Placement};
use crate::fault::spelling::nearest;
use crate::grammar::{Failure, Tokens};
use crate::script::restart;
use crate::token::{Token, TokenKind};

use super::{Draft, stand_in};

/// How many places are tried at which reading may go on behind a fault.
const RESUMPTIONS: usize = 6;

/// How many clauses are tried as the end of one that is moved or left out: SET and WHERE may be its own.
const CLAUSES: usize = 3;

/// Tokens of a statement replaced by others.
pub(super) struct Edit {
    /// The indices of what is left out.
    cut: Range<usize>,
    /// What is put in its place.
    filler: Vec<Token<'static>>,
    /// The indices of a later clause that is moved behind it.
    moved: Range<usize>,
    /// How many words read behind it leave no doubt that it was meant.
    proof: usize,
}

impl Edit {
    fn new(cut: Range<usize>, filler: Vec<Token<'static>>) -> Self {
        Self {
            cut,
            filler,
            moved: 0..0,
            proof: 2,
        }
    }

    /// One that is probably meant.
    fn likely(cut: Range<usize>, filler: Vec<Token<'static>>) -> Self {
        Self {
            proof: 1,
            ..Self::new(cut, filler)
        }
    }

    /// Whether it changes anything.
    fn is_one(&self) -> bool {
        !(self.cut.is_empty() && self.filler.is_empty() && self.moved.is_empty())
    }

    /// The statement with this edit.
    pub(super) fn apply<'t>(&self, tokens: &[Token<'t>]) -> Draft<'t> {
        let part = |range: Range<usize>| tokens.get(range).unwrap_or_default().iter().copied();
        let mut edited: Vec<Token<'t>> = part(0..self.cut.start).collect();
        edited.extend(&self.filler);
        let resumed = edited.len();
        edited.extend(part(self.moved.clone()));
        if self.moved.is_empty() {
            edited.extend(part(self.cut.end..tokens.len()));
        } else {
            edited.extend(part(self.cut.end..self.moved.start));
            edited.extend(part(self.moved.end..tokens.len()));
        }
        Draft {
            tokens: edited,
            resumed,
            proof: self.proof,
        }
    }
}

/// Where reading stopped, and what would have fitted.
struct Stop<'t> {
    tokens: Tokens<'t>,
    outline: Outline<'t>,
    at: usize,
    labels: Vec<&'static str>,
    /// Where what is put in stands.
    place: usize,
    /// What stands in for each label.
    fillers: Vec<Vec<Token<'static>>>,
}

/// The edits of a statement in which reading stopped at `at`: the nearest together first, then those that go on further
/// and further behind.
pub(super) fn edits(tokens: Tokens<'_>, at: usize, failure: &Failure) -> Vec<Vec<Edit>> {
    let stop = Stop::new(tokens, at, failure);
    match restart::head(tokens) {
        Some(kind) if at > kind => stop.edits(),
        kind => vec![stop.in_head(kind)],
    }
}

impl<'t> Stop<'t> {
    fn new(tokens: Tokens<'t>, at: usize, failure: &Failure) -> Self {
        let mut labels: Vec<&'static str> = Vec::new();
        for label in failure.expected.iter() {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let mut stop = Self {
            tokens,
            outline: Outline::of(tokens),
            at,
            labels,
            place: before.map_or(0, |before| before.span.end),
            fillers: Vec::new(),
        };
        let texts = stop.labels.iter().flat_map(|label| stand_in::texts(label));
        stop.fillers = texts.map(|text| stand_in::tokens(text, stop.place)).collect();
        stop
    }

    /// The word that was found as one that fits is spelled.
    fn respelled(&self) -> Option<Edit> {
        let found = self
            .tokens
            .get(self.at)
            .filter(|found| found.kind == TokenKind::Word)?;
        let words = self.labels.iter().copied().filter(|label| is_word(label));
        let near = nearest(found.text, words)?.split(' ').next()?;
        Some(Edit::likely(
            self.at..self.at + 1,
            stand_in::tokens(near, self.place),
        ))
    }

    /// Where it is not told what is created, altered or dropped: a word that is spelled wrong, the only one that fits, or
    /// words too many before the kind.
    fn in_head(&self, kind: Option<usize>) -> Vec<Edit> {
        let mut edits: Vec<Edit> = self.respelled().into_iter().collect();
        if let [only] = self.fillers.as_slice() {
            edits.push(Edit::new(self.at..self.at + 1, only.clone()));
            edits.push(Edit::new(self.at..self.at, only.clone()));
        }
        edits.extend(kind.map(|kind| Edit::new(self.at..kind.max(self.at), Vec::new())));
        edits.retain(Edit::is_one);
        edits
    }

    fn edits(&self) -> Vec<Vec<Edit>> {
        let respelled = self.respelled().into_iter().collect();
        let mut edits = vec![self.placed(), respelled, self.here()];
        edits.extend(self.resumptions().into_iter().map(|resumed| self.ahead(resumed)));
        for near in &mut edits {
            near.retain(Edit::is_one);
        }
        edits
    }

    /// What the order of clauses says.
    fn placed(&self) -> Vec<Edit> {
        match self.outline.placement(self.at, &self.labels) {
            // Brackets are open before the next clause.
            Placement::Unknown if self.outline.clause(self.at).is_some() => {
                vec![Edit::likely(self.at..self.at, self.closers())]
            }
            Placement::Unknown => Vec::new(),
            Placement::Doubled(_) | Placement::Late(_) => {
                let behind = self.clauses_behind(self.at).take(CLAUSES);
                behind.map(|end| Edit::likely(self.at..end, Vec::new())).collect()
            }
            Placement::Early(_, index) => {
                // A word and its value where what follows is no clause.
                let ends = self.clauses_behind(index).take(CLAUSES).chain([index + 2]);
                let moved = |end| Edit {
                    moved: index..end,
                    ..Edit::likely(self.at..self.at, Vec::new())
                };
                ends.map(moved).collect()
            }
            Placement::Missing(clause, at) => self.least(clause, at..at),
        }
    }

    /// A clause in its least forms, or left out where that is allowed.
    fn least(&self, clause: &Clause, cut: Range<usize>) -> Vec<Edit> {
        if clause.least.is_empty() {
            return vec![Edit::new(cut, Vec::new())];
        }
        let forms = clause.least.iter();
        forms
            .map(|form| Edit::new(cut.clone(), stand_in::tokens(form, self.place)))
            .collect()
    }

    /// The word that did not fit is another one, stands behind a missing one, or is left out.
    fn here(&self) -> Vec<Edit> {
        let at = self.at;
        let mut edits = Vec::new();
        // `a NOT BETWEEN 1 AND 2`: an operator of two words.
        if self.tokens.get(at).is_some_and(|token| token.is_word("NOT")) {
            let fillers = self.fillers.iter();
            edits.extend(fillers.map(|filler| Edit::new(at..at + 2, filler.clone())));
        }
        if at < self.tokens.len() {
            edits.extend(
                self.fillers
                    .iter()
                    .map(|filler| Edit::new(at..at + 1, filler.clone())),
            );
        }
        edits.extend(self.fillers.iter().map(|filler| match closes(filler) {
            true => Edit::likely(at..at, filler.clone()),
            false => Edit::new(at..at, filler.clone()),
        }));
        if at < self.tokens.len() {
            edits.push(Edit::new(at..at + 1, Vec::new()));
        }
        edits.push(Edit::likely(at..at, self.closers()));
        edits
    }

    /// Reading goes on at a comma, bracket or clause further on.
    fn ahead(&self, resumed: usize) -> Vec<Edit> {
        let cut = self.at..resumed;
        let mut edits = vec![Edit::new(cut.clone(), Vec::new())];
        let fillers = self.fillers.iter();
        edits.extend(fillers.map(|filler| Edit::new(cut.clone(), filler.clone())));
        edits.push(Edit::new(cut, self.closers()));
        let begun = (0..=self.at)
            .rev()
            .find_map(|index| Some((index, self.outline.clause(index)?)));
        let is_clause = resumed == self.tokens.len() || self.outline.clause(resumed).is_some();
        if let Some((start, clause)) = begun.filter(|_| is_clause) {
            edits.extend(self.least(clause, start..resumed));
        }
        edits
    }

    fn closers(&self) -> Vec<Token<'static>> {
        stand_in::closers(self.tokens.get(..self.at).unwrap_or_default(), self.place)
    }

    /// The indices of the clauses behind a token, and of the end.
    fn clauses_behind(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.tokens.len();
        (index + 1..=end).filter(move |index| *index == end || self.outline.clause(*index).is_some())
    }

    /// Whether the `<` at this index opens the elements of a type, be it one that there is or not.
    fn is_of_type(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before));
        let is_type = |token: &Token<'_>| token.is_word("ARRAY") || token.is_word("VEC");
        before.is_some_and(is_type) || (index == self.at + 1 && self.labels.contains(&DATA_TYPE))
    }

    /// The next commas and closing brackets around the place, the next clauses, and the end.
    fn resumptions(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut open = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(self.at) {
            let is_outer = match token.text {
                "(" | "[" | "{" => {
                    open += 1;
                    false
                }
                "<" if self.is_of_type(index) => {
                    open += 1;
                    false
                }
                ")" | "]" | "}" | ">" if open > 0 => {
                    open -= 1;
                    false
                }
                "," => open == 0,
                ")" | "]" | "}" => true,
                _ => self.outline.clause(index).is_some(),
            };
            if is_outer && index > self.at {
                found.push(index);
            }
            if found.len() == RESUMPTIONS {
                break;
            }
        }
        found.push(self.tokens.len());
        found
    }
}

/// Whether what is put in closes a bracket.
fn closes(filler: &[Token<'_>]) -> bool {
    matches!(filler, [only] if matches!(only.text, ")" | "]" | "}"))
}

/// Whether a label is a keyword or phrase.
fn is_word(label: &str) -> bool {
    label
        .bytes()
        .next()
        .is_some_and(|first| first.is_ascii_uppercase())
}
