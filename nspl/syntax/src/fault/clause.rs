//! What the order of clauses says about a token that did not fit (rulings section 3).

mod table;

use crate::grammar::{END, Tokens};
use crate::token::Token;

use self::table::{Clause, clauses_of};

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
    /// It begins a later clause, or ends the statement, and this clause is missing before it.
    Missing(&'static Clause),
}

/// A statement and its clauses.
struct Order<'t> {
    tokens: Tokens<'t>,
    clauses: Vec<&'static Clause>,
}

/// Judges the token at `at`, where the labels `expected` would have fitted.
pub(crate) fn placement(tokens: Tokens<'_>, at: usize, expected: &[&'static str]) -> Placement {
    let order = Order {
        tokens,
        clauses: clauses_of(tokens),
    };
    let accepted: Vec<usize> = (0..order.clauses.len())
        .filter(|rank| order.is_accepted(*rank, expected))
        .collect();
    // Where only the end would have fitted, every clause comes too late.
    let end = expected.contains(&END).then_some(order.clauses.len());
    let first = accepted.first().copied().or(end);
    let missing = || {
        let required = accepted
            .iter()
            .filter_map(|rank| order.clauses.get(*rank))
            .find(|clause| clause.required);
        required.map_or(Placement::Unknown, |clause| Placement::Missing(clause))
    };
    let Some(rank) = order.clause_at(at) else {
        return if at >= tokens.len() {
            missing()
        } else {
            Placement::Unknown
        };
    };
    let Some(found) = order.clauses.get(rank) else {
        return Placement::Unknown;
    };
    if order.is_before(rank, at) {
        return Placement::Doubled(found);
    }
    if first.is_some_and(|first| rank < first) {
        return Placement::Late(found);
    }
    let early = (at + 1..tokens.len()).find_map(|index| {
        let before = order
            .told_at(index)
            .filter(|before| *before < rank && accepted.contains(before))?;
        order
            .clauses
            .get(before)
            .map(|clause| Placement::Early(clause, index))
    });
    early.unwrap_or_else(missing)
}

impl Order<'_> {
    /// Whether the clause would have fitted.
    fn is_accepted(&self, rank: usize, expected: &[&'static str]) -> bool {
        let Some(clause) = self.clauses.get(rank) else {
            return false;
        };
        expected.iter().any(|label| {
            label
                .split(' ')
                .zip(clause.words.split(' '))
                .all(|(label, word)| label == word)
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
