//! Reading on in a statement that does not fit the grammar, so that all its faults are told and the rest of it is in a
//! tree.
//!
//! Where reading stops, the least edit is looked for that lets it go on: a word changed, put in or left out, a clause
//! given its least form or moved to its place, or all that stands up to the next comma, bracket or clause replaced. The
//! grammar judges every edit, so nothing of it is known here twice. What is put in has an empty place ([`stand_in`]).
//! Invariant: of what follows from a fault nothing is told. A fault counts when reading went on behind the one before by
//! a comma, a closing bracket or two words at least (one where the edit is likely), and no place has two.

mod doubt;
mod edit;
mod stand_in;

use crate::fault::{Fault, hint};
use crate::grammar::{Failure, Tokens};
use crate::script::depth;
use crate::span::Span;
use crate::statement::{self, Statement};
use crate::token::{Source, Token};

use self::edit::edits;

/// How often the end of a statement is completed by one more word or clause.
const COMPLETIONS_MAX: usize = 32;

/// How many words read behind an edit leave no doubt that the statement lacks something at its end.
const END_PROOF: usize = 4;

/// A statement that was read on behind its first fault.
pub(super) struct Mended {
    /// Its faults, in order of their places but for clauses that were moved.
    pub(super) faults: Vec<Fault>,
    /// What could be read.
    pub(super) tree: Option<Statement>,
    /// Where the tree may say something else than what was meant.
    pub(super) doubted: Vec<Span>,
}

impl From<Fault> for Mended {
    /// A statement of one fault that is not read on.
    fn from(fault: Fault) -> Self {
        Self {
            faults: vec![fault],
            tree: None,
            doubted: Vec::new(),
        }
    }
}

/// What reading on needs to know.
pub(super) struct Mender<'a, 't> {
    pub(super) source: &'a Source,
    /// Whether anybody still waits for it.
    pub(super) is_wanted: &'a dyn Fn() -> bool,
    /// What stands behind the statement, at which a fault may be told.
    pub(super) next: Option<Token<'t>>,
    /// Where the statement ends.
    pub(super) end: Span,
    /// Where the faults are that were told already.
    pub(super) told: &'a [Span],
    /// How many more tokens may be read, of this and all later statements of the script.
    pub(super) allowance: &'a mut usize,
}

/// A statement as edited so far.
struct Draft<'t> {
    tokens: Vec<Token<'t>>,
    /// The index of the first token behind the last edit.
    resumed: usize,
    /// How many words read from there on leave no doubt that it was meant.
    proof: usize,
}

/// An edited statement, read.
struct Trial<'t> {
    draft: Draft<'t>,
    /// The index of the token that does not fit, or of the end.
    stopped: usize,
    reading: Reading,
}

/// What the grammar says to a draft.
type Reading = Result<Statement, Failure>;

impl<'t> Mender<'_, 't> {
    /// Tells the faults of a statement in which reading stopped at `failure`, and reads on as far as it goes.
    pub(super) fn mend(&mut self, statement: Tokens<'t>, mut failure: Failure) -> Mended {
        let mut faults = Vec::new();
        let mut completions = 0;
        let mut draft = Draft {
            tokens: statement.to_vec(),
            resumed: 0,
            proof: 0,
        };
        loop {
            let at = failure.index(&draft.tokens);
            let is_end = at == draft.tokens.len();
            if self.is_news(&draft, at, &faults) {
                faults.push(self.fault(&draft, &failure));
            }
            completions += usize::from(is_end);
            let edited = (completions <= COMPLETIONS_MAX).then(|| self.edit(&draft, at, &failure));
            match edited.flatten() {
                None => {
                    return Mended {
                        faults,
                        tree: None,
                        doubted: Vec::new(),
                    };
                }
                Some(Trial {
                    reading: Ok(tree),
                    draft,
                    ..
                }) => {
                    return Mended {
                        faults,
                        tree: Some(tree),
                        doubted: doubt::places(statement, &draft.tokens),
                    };
                }
                Some(Trial {
                    draft: next,
                    reading: Err(stopped),
                    ..
                }) => (draft, failure) = (next, stopped),
            }
        }
    }

    /// Whether what stopped reading at `at` is a fault of its own.
    fn is_news(&self, draft: &Draft<'t>, at: usize, faults: &[Fault]) -> bool {
        let stopped = draft.tokens.get(at).map_or(self.end, |token| token.span);
        if faults.iter().any(|fault| fault.span.range() == stopped.range()) {
            return false;
        }
        // A bracket that was opened by another one is closed by it.
        let before = draft.tokens.get(..at).unwrap_or_default();
        let opened = stand_in::open(before)
            .last()
            .is_some_and(|open| open.stand_in.is_some());
        let found = draft.tokens.get(at).map_or("", |token| token.text);
        if opened && matches!(found, ")" | "]" | "}") {
            return false;
        }
        let around = draft.tokens.get(at.saturating_sub(1)..).unwrap_or_default();
        let from = around.first().map_or(self.end.start, |token| token.span.start);
        let to = around.get(1).map_or(self.end.end, |token| token.span.end);
        if self.told.iter().any(|told| told.start <= to && told.end >= from) {
            return false;
        }
        faults.is_empty() || draft.is_left_behind(at)
    }

    fn fault(&self, draft: &Draft<'t>, failure: &Failure) -> Fault {
        let seen: Vec<Token<'t>> = draft.tokens.iter().copied().chain(self.next).collect();
        hint::explain(failure, &seen, self.end)
    }

    /// The edit to go on with, and what the grammar reads then: of the nearest edits behind which it reads on, the one
    /// with which it takes most of what is written, the first of equals.
    fn edit(&mut self, draft: &Draft<'t>, at: usize, failure: &Failure) -> Option<Trial<'t>> {
        let behind = written(draft.tokens.get(at..).unwrap_or_default());
        let mut best: Option<Trial<'t>> = None;
        for near in edits(&draft.tokens, at, failure) {
            for edit in near {
                let next = edit.apply(&draft.tokens);
                let left = self.allowance.checked_sub(next.tokens.len());
                *self.allowance = left.filter(|_| (self.is_wanted)())?;
                let trial = self.trial(next, behind);
                let is_better =
                    |trial: &Trial<'t>| best.as_ref().is_none_or(|best| trial.score() > best.score());
                if let Some(trial) = trial.filter(is_better) {
                    best = Some(trial);
                }
            }
            if best.as_ref().is_some_and(Trial::reads_on) {
                break;
            }
        }
        best
    }

    /// A draft and how far the grammar comes in it; none when it does not come further than the `behind` last written
    /// tokens.
    fn trial(&self, draft: Draft<'t>, behind: usize) -> Option<Trial<'t>> {
        depth::check(&draft.tokens).ok()?;
        let reading = statement::read(&draft.tokens, self.source)
            .map_err(|failures| failures.into_iter().next_back().unwrap_or_default());
        let stopped = match &reading {
            Ok(_) => draft.tokens.len(),
            Err(failure) => failure.index(&draft.tokens),
        };
        let left = draft.tokens.get(stopped..).unwrap_or_default();
        let is_further = left.is_empty() || written(left) < behind;
        (is_further && stopped >= draft.resumed).then_some(Trial {
            draft,
            stopped,
            reading,
        })
    }
}

impl Trial<'_> {
    /// How many written tokens the grammar takes, and whether it reads a statement.
    fn score(&self) -> (usize, bool) {
        let taken = self.draft.tokens.get(..self.stopped).unwrap_or_default();
        (written(taken), self.reading.is_ok())
    }

    /// Whether the grammar has left the place of the edit behind.
    fn reads_on(&self) -> bool {
        let completes = self.draft.resumed == self.draft.tokens.len();
        self.reading.is_ok() || completes || self.draft.is_left_behind(self.stopped)
    }
}

impl Draft<'_> {
    /// Whether a fault at this index does not follow from what was edited.
    fn is_left_behind(&self, index: usize) -> bool {
        let since = self.tokens.get(self.resumed..index).unwrap_or_default();
        let closes = |token: &Token<'_>| matches!(token.text, "," | ")" | "]" | "}");
        if index == self.tokens.len() {
            // What is missing at the end follows from most edits near it.
            return self.proof < 2 || since.len() >= END_PROOF;
        }
        since.len() >= self.proof || since.iter().any(closes)
    }
}

/// What is written of some tokens.
fn written(tokens: &[Token<'_>]) -> usize {
    tokens.iter().filter(|token| token.stand_in.is_none()).count()
}
