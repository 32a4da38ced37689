//! Where the tree of a statement that was read on behind faults may say something else than what was meant: what was
//! edited, and the list item or clause around it.

use std::collections::BTreeSet;

use crate::fault::clause::Outline;
use crate::grammar::Tokens;
use crate::span::Span;
use crate::token::Token;

/// These places in a statement, in order, where it was read as `tokens`.
pub(super) fn places(statement: Tokens<'_>, tokens: &[Token<'_>]) -> Vec<Span> {
    let starts = |is_put_in: bool| -> BTreeSet<usize> {
        let some = tokens
            .iter()
            .filter(|token| token.stand_in.is_some() == is_put_in);
        some.map(|token| token.span.start).collect()
    };
    let (kept, put_in) = (starts(false), starts(true));
    let (outline, clauses) = (Outline::of(statement), clauses_put_in(tokens));
    let left = statement
        .iter()
        .rposition(|token| kept.contains(&token.span.start));
    let tail = left.map_or(0, |last| last + 1);
    let mut places: Vec<Span> = Vec::new();
    let mut behind = 0;
    for index in 0..=statement.len() {
        // What is put in stands at the end of the token before it.
        let before = index.checked_sub(1).and_then(|before| statement.get(before));
        let gap = before.map_or(0, |before| before.span.end);
        let token = statement.get(index);
        let is_left_out = token.is_some_and(|token| !kept.contains(&token.span.start));
        if index < behind || !(is_left_out || put_in.contains(&gap)) {
            continue;
        }
        behind = end(statement, &outline, index + usize::from(is_left_out)).max(index + 1);
        let is_clause = clauses.contains(&gap);
        if is_clause && !is_left_out && (index == statement.len() || outline.clause(index).is_some()) {
            // Between two clauses, a whole one is missing.
            places.push(Span::new(gap, gap));
            continue;
        }
        // A clause that is spelled wrong, or words too many at the end, say nothing of what is before them.
        let is_apart = is_clause && is_left_out || index == tail && !put_in.contains(&gap);
        let first = match is_apart {
            true => index,
            false => begin(statement, &outline, index),
        };
        let last = statement.get(behind.min(statement.len()).saturating_sub(1));
        let (Some(first), Some(last)) = (statement.get(first).or(before), last) else {
            continue;
        };
        match places.last_mut() {
            Some(before) if before.end >= first.span.start => *before = before.to(last.span),
            _ => places.push(first.span.to(last.span)),
        }
    }
    places
}

/// Where clauses were put in that begin with what was put in.
fn clauses_put_in(tokens: &[Token<'_>]) -> BTreeSet<usize> {
    let outline = Outline::of(tokens);
    let put_in = tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| token.stand_in.is_some());
    let clauses = put_in.filter(|(index, _)| outline.clause(*index).is_some());
    clauses.map(|(_, token)| token.span.start).collect()
}

/// The index behind the comma or bracket before a token, or of the clause that it is in.
fn begin(statement: Tokens<'_>, outline: &Outline<'_>, at: usize) -> usize {
    let mut open = 0_usize;
    for (index, token) in statement.iter().enumerate().take(at).rev() {
        match token.text {
            ")" | "]" | "}" => open += 1,
            "(" | "[" | "{" if open == 0 => return index + 1,
            "(" | "[" | "{" => open -= 1,
            "," if open == 0 => return index + 1,
            _ if open == 0 && outline.clause(index).is_some() => return index,
            _ => {}
        }
    }
    0
}

/// The index of the comma, bracket or clause from a token on, or of the end.
fn end(statement: Tokens<'_>, outline: &Outline<'_>, from: usize) -> usize {
    let mut open = 0_usize;
    for (index, token) in statement.iter().enumerate().skip(from) {
        match token.text {
            "(" | "[" | "{" => open += 1,
            ")" | "]" | "}" if open == 0 => return index,
            ")" | "]" | "}" => open -= 1,
            "," if open == 0 => return index,
            _ if open == 0 && outline.clause(index).is_some() => return index,
            _ => {}
        }
    }
    statement.len()
}
