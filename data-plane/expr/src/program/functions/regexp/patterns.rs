//! Compiled patterns, kept beside the call that uses them.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use regex::{Regex, RegexBuilder};

use super::super::call::Args;
use crate::fault::Fault;
use crate::program::operand::Texts;

/// Bytes that one compiled pattern may take (rulings section 5).
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// Patterns that one call keeps compiled. A constant pattern needs one; when a column of patterns has more, all
/// are forgotten and the cache fills anew.
const PATTERNS_MAX: usize = 32;

/// The patterns that one call has met; `None` for a text that is no pattern.
#[derive(Default)]
pub(in crate::program::functions) struct Patterns {
    known: Mutex<HashMap<Box<str>, Option<Arc<Regex>>>>,
}

impl Patterns {
    fn get(&self, pattern: &str) -> Option<Arc<Regex>> {
        if let Some(known) = self.known.lock().get(pattern) {
            return known.clone();
        }
        let compiled = RegexBuilder::new(pattern)
            .size_limit(PATTERN_BYTES_MAX)
            .build()
            .ok()
            .map(Arc::new);
        let mut known = self.known.lock();
        if known.len() >= PATTERNS_MAX {
            known.clear();
        }
        known.insert(pattern.into(), compiled.clone());
        compiled
    }
}

/// The pattern of each row; the last one is at hand without looking it up.
pub(super) struct PatternRows<'a> {
    patterns: &'a Patterns,
    last: Option<(&'a str, Option<Arc<Regex>>)>,
}

impl<'a> PatternRows<'a> {
    pub(super) fn new(args: &Args<'a>) -> Self {
        Self {
            patterns: args.patterns,
            last: None,
        }
    }

    /// The pattern, or that the text is none.
    pub(super) fn compiled(&mut self, pattern: &'a str) -> Result<Arc<Regex>, Fault> {
        let compiled = match &self.last {
            Some((last, compiled)) if *last == pattern => compiled.clone(),
            _ => {
                let compiled = self.patterns.get(pattern);
                self.last = Some((pattern, compiled.clone()));
                compiled
            }
        };
        compiled.ok_or(Fault::Pattern)
    }
}

/// The first two arguments of every function of the family: text and pattern.
pub(super) fn text_and_pattern<'a>(
    texts: &Texts<'a>,
    patterns: &Texts<'a>,
    row: usize,
) -> Option<(&'a str, &'a str)> {
    Some((texts.get(row)?, patterns.get(row)?))
}
