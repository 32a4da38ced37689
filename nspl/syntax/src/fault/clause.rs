//! What the order of clauses says about a token that did not fit (rulings section 3).

mod table;

use crate::grammar::{END, Tokens};
use crate::token::Token;

pub(crate) use self::table::Clause;
use self::table::clauses_of;

/// What the order of clauses says about a token that did not fit.
pub(crate) enum Placement {
    /// It begins no clause, or its place is no question.
    Unknown,
    /// It begins a clause that is already there.
    Doubled(&'static Clause),
    /// It begins a clause whose place is behind it.
    Late(&'static Clause),
    /// It begins a clause that comes too early, because the clause at this index of the tokens belongs before it.
    Early(&'static Clause, usize),
    /// It begins a later clause, or ends the statement, and this clause is missing before the token at this index.
    Missing(&'static Clause, usize),
}

/// A statement and the clauses that it may have.
pub(crate) struct Outline<'t> {
    tokens: Tokens<'t>,
    clauses: Vec<&'static Clause>,
}

impl<'t> Outline<'t> {
    /// That of a statement.
    pub(crate) fn of(tokens: Tokens<'t>) -> Self {
        Self {
            tokens,
            clauses: clauses_of(tokens),
        }
    }

    /// The clause that begins at a token.
    pub(crate) fn clause(&self, at: usize) -> Option<&'static Clause> {
        self.clause_at(at)
            .and_then(|rank| self.clauses.get(rank).copied())
    }

    /// Judges the token at `at`, where the labels `expected` would have fitted.
    pub(crate) fn placement(&self, at: usize, expected: &[&'static str]) -> Placement {
        // `ON GENERAL` where ON MESSAGE is missing: its first word fitted.
        let begun = at.checked_sub(1).filter(|before| {
            self.clause_at(at).is_none() && self.clause(*before).is_some_and(Clause::has_words)
        });
        let at = begun.unwrap_or(at);
        let word = begun.and_then(|begun| self.tokens.get(begun));
        let accepted: Vec<usize> = (0..self.clauses.len())
            .filter(|rank| self.is_accepted(*rank, word, expected))
            .collect();
        // Where only the end would have fitted, every clause comes too late.
        let end = expected.contains(&END).then_some(self.clauses.len());
        let first = accepted.first().copied().or(end);
        let missing = || {
            let required = accepted
                .iter()
                .filter_map(|rank| self.clauses.get(*rank))
                .find(|clause| !clause.least.is_empty());
            required.map_or(Placement::Unknown, |clause| Placement::Missing(clause, at))
        };
        let Some(rank) = self.clause_at(at) else {
            return if at >= self.tokens.len() {
                missing()
            } else {
                Placement::Unknown
            };
        };
        let Some(found) = self.clauses.get(rank) else {
            return Placement::Unknown;
        };
        if self.is_before(rank, at) {
            return Placement::Doubled(found);
        }
        if first.is_some_and(|first| rank < first) {
            return Placement::Late(found);
        }
        let early = (at + 1..self.tokens.len()).find_map(|index| {
            let before = self
                .told_at(index)
                .filter(|before| *before < rank && accepted.contains(before))?;
            self.clauses
                .get(before)
                .map(|clause| Placement::Early(clause, index))
        });
        early.unwrap_or_else(missing)
    }

    /// Whether the clause would have fitted, where `begun` is the word of it that did.
    fn is_accepted(&self, rank: usize, begun: Option<&Token<'_>>, expected: &[&'static str]) -> bool {
        let Some(clause) = self.clauses.get(rank) else {
            return false;
        };
        let mut words = clause.words.split(' ');
        if begun.is_some_and(|begun| !words.next().is_some_and(|word| begun.is_word(word))) {
            return false;
        }
        expected.iter().any(|label| {
            let mut both = label.split(' ').zip(words.clone()).peekable();
            both.peek().is_some() && both.all(|(label, word)| label == word)
        })
    }

    /// The rank of the clause that begins at a token.
    fn clause_at(&self, at: usize) -> Option<usize> {
        let matches = |clause: &&Clause| {
            let mut words = clause.words.split(' ').enumerate();
            words.all(|(offset, word)| {
                self.tokens
                    .get(at + offset)
                    .is_some_and(|token: &Token<'_>| token.is_word(word))
            })
        };
        self.clauses.iter().position(matches)
    }

    /// The same, but for SET and WHERE, which stand in several places.
    fn told_at(&self, index: usize) -> Option<usize> {
        let several = |rank: &usize| {
            matches!(
                self.clauses.get(*rank).map(|clause| clause.words),
                Some("SET" | "WHERE")
            )
        };
        self.clause_at(index).filter(|rank| !several(rank))
    }

    /// Whether the clause stands before `at`; each TO of an ingestor begins its clauses anew.
    fn is_before(&self, rank: usize, at: usize) -> bool {
        let is_to = |index: &usize| self.tokens.get(*index).is_some_and(|token| token.is_word("TO"));
        let route = (0..at).rev().find(is_to).unwrap_or(0);
        (route..at).any(|index| self.told_at(index) == Some(rank))
    }
}
