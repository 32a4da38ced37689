//! Regular expressions (rulings section 5): the syntax of the regex crate, and its replacement syntax.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use nspl_model::{Literal, pattern};
use regex::Regex;

use super::text::{KEPT_BYTES_MAX, TEXT_BYTES_MAX};
use super::{Failure, Folded};

/// Longer texts are not matched at validation: a large pattern over a long text takes seconds.
const MATCHED_BYTES_MAX: usize = 4 << 10;

/// Nor is any text matched with a pattern that takes more memory than this.
const MATCHING_BYTES_MAX: usize = 256 << 10;

/// Whether constant patterns are compiled: a large one takes as long as a thousand statements.
#[derive(Clone, Copy)]
pub(crate) enum Patterns<'a> {
    /// They were when they were committed.
    Committed,
    /// As long as this says that anybody waits for it.
    While(&'a dyn Fn() -> bool),
}

impl Patterns<'_> {
    /// Compiles a pattern as the data plane does.
    ///
    /// # Errors
    /// Why it does not compile, in one line.
    pub(crate) fn judge(self, pattern: &str) -> Result<(), Failure> {
        match self {
            Patterns::While(is_wanted) if is_wanted() => judged(pattern),
            Patterns::While(_) | Patterns::Committed => Ok(()),
        }
    }
}

/// What is known of patterns takes at most this much memory.
const KNOWN_BYTES_MAX: usize = 1 << 20;

/// What an entry takes beside its texts.
const ENTRY_BYTES: usize = 128;

/// What was found of patterns: a script is judged several times until it is committed, and pays for them once.
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Known {
    verdicts: HashMap<Box<str>, Result<(), Failure>>,
    bytes: usize,
}

impl Known {
    fn keep(&mut self, pattern: &str, verdict: Result<(), Failure>) {
        let bytes = ENTRY_BYTES + pattern.len() + verdict.as_ref().err().map_or(0, String::len);
        if bytes > KNOWN_BYTES_MAX {
            return;
        }
        if self.bytes + bytes > KNOWN_BYTES_MAX {
            *self = Self::default();
        }
        if self.verdicts.insert(pattern.into(), verdict).is_none() {
            self.bytes += bytes;
        }
    }
}

fn judged(pattern: &str) -> Result<(), Failure> {
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(verdict) = known().verdicts.get(pattern) {
        return verdict.clone();
    }
    let verdict = pattern::compile(pattern, pattern::BYTES_MAX)
        .map(drop)
        .map_err(said);
    known().keep(pattern, verdict.clone());
    verdict
}

fn said(error: regex::Error) -> Failure {
    match error {
        regex::Error::CompiledTooBig(_) => "it is larger than 4 MiB when compiled".into(),
        other => other
            .to_string()
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned(),
    }
}

/// `regexp_like`.
pub(super) fn like(text: &str, pattern: &str) -> Folded {
    matched(text, pattern, |pattern| {
        Ok(Some(Literal::Bool(pattern.is_match(text))))
    })
}

/// `regexp_substr`: null when nothing matches.
pub(super) fn substr(text: &str, pattern: &str) -> Folded {
    matched(text, pattern, |pattern| {
        Ok(Some(match pattern.find(text) {
            Some(found) => Literal::String(found.as_str().to_owned()),
            None => Literal::Null,
        }))
    })
}

/// `regexp_replace`: all matches, match by match, so that the result stays within bounds while it grows.
pub(super) fn replace(text: &str, pattern: &str, other: &str) -> Folded {
    matched(text, pattern, |pattern| {
        if other.len() > KEPT_BYTES_MAX {
            return Ok(None);
        }
        let (mut result, mut behind) = (String::new(), 0);
        for found in pattern.captures_iter(text) {
            let Some(whole) = found.get(0) else { continue };
            result.push_str(text.get(behind..whole.start()).unwrap_or_default());
            found.expand(other, &mut result);
            behind = whole.end();
            if result.len() > TEXT_BYTES_MAX {
                return Err("the result is longer than 16 MiB".into());
            }
        }
        result.push_str(text.get(behind..).unwrap_or_default());
        Ok((result.len() <= KEPT_BYTES_MAX).then_some(Literal::String(result)))
    })
}

fn matched(text: &str, pattern: &str, judge: impl FnOnce(Regex) -> Folded) -> Folded {
    if text.len() > MATCHED_BYTES_MAX {
        return Ok(None);
    }
    match pattern::compile(pattern, MATCHING_BYTES_MAX) {
        Err(regex::Error::CompiledTooBig(_)) => Ok(None),
        compiled => compiled.map_err(said).and_then(judge),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{KNOWN_BYTES_MAX, Known, Patterns, judged, like};

    #[test]
    fn a_pattern_that_nobody_waits_for_is_not_compiled() {
        assert!(Patterns::While(&|| true).judge("(").is_err());
        assert_eq!(Patterns::While(&|| false).judge("("), Ok(()));
        assert_eq!(Patterns::Committed.judge("("), Ok(()));
        let asked = Cell::new(0);
        let asks = || {
            asked.set(asked.get() + 1);
            true
        };
        assert_eq!(Patterns::While(&asks).judge("a+"), Ok(()));
        assert_eq!(asked.get(), 1);
    }

    #[test]
    fn what_is_known_of_patterns_is_bounded_and_says_the_same_again() {
        for (pattern, is_one) in [("known(", false), ("known+", true)] {
            assert_eq!(judged(pattern).is_ok(), is_one);
            assert_eq!(judged(pattern), judged(pattern));
        }
        let mut known = Known::default();
        for number in 0..20_000 {
            known.keep(&format!("pattern {number}"), Ok(()));
            assert!(known.bytes <= KNOWN_BYTES_MAX);
        }
        assert!(known.verdicts.contains_key("pattern 19999"));
        known.keep(&"x".repeat(KNOWN_BYTES_MAX), Ok(()));
        assert!(known.bytes <= KNOWN_BYTES_MAX && !known.verdicts.is_empty());
    }

    #[test]
    fn a_costly_pattern_is_matched_at_run_time_alone() {
        let costly = r"[\pL\pN]{60}";
        assert_eq!(judged(costly), Ok(()));
        assert_eq!(like("a", costly), Ok(None));
        assert!(like("a", r"^\w+@\w+\.\w+$").is_ok_and(|found| found.is_some()));
    }
}
