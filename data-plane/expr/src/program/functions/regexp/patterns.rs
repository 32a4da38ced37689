//! Compiled patterns, kept beside the call that uses them.

use std::collections::HashMap;
use std::sync::Arc;

use nspl_model::pattern;
use parking_lot::Mutex;
use regex::Regex;

use super::super::call::Args;
use crate::fault::Fault;
use crate::program::operand::Texts;

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
        let compiled = pattern::compile(pattern, pattern::BYTES_MAX).ok().map(Arc::new);
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
    pub(super) fn compiled(&mut self, pattern: &'a str) -> Result<&Regex, Fault> {
        // A constant is the same text in every row, not only an equal one.
        let same = |last: &str| std::ptr::eq(last, pattern) || last == pattern;
        if !self.last.as_ref().is_some_and(|(last, _)| same(last)) {
            self.last = Some((pattern, self.patterns.get(pattern)));
        }
        let known = self.last.as_ref().and_then(|(_, compiled)| compiled.as_deref());
        known.ok_or(Fault::Pattern)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nspl_model::{BinaryOp, DataType, Expr, ExprKind, FieldRef, Function, Literal, Scope};

    use super::{PATTERNS_MAX, Patterns};
    use crate::Program;

    fn node(data_type: DataType, kind: ExprKind) -> Expr {
        Expr {
            data_type,
            nullable: false,
            sensitive: false,
            kind,
        }
    }

    fn both(left: Expr, right: Expr) -> Expr {
        let op = BinaryOp::And;
        let (left, right) = (Box::new(left), Box::new(right));
        node(DataType::Bool, ExprKind::Binary { op, left, right })
    }

    #[test]
    fn a_pattern_is_compiled_once_and_no_more_than_the_bound_are_kept() {
        let patterns = Patterns::default();
        let (first, again) = (patterns.get("a+").unwrap(), patterns.get("a+").unwrap());
        assert!(Arc::ptr_eq(&first, &again));
        assert!(patterns.get("(").is_none() && patterns.get("(").is_none());
        for number in 0..3 * PATTERNS_MAX {
            patterns.get(&format!("n{number}"));
            assert!(patterns.known.lock().len() <= PATTERNS_MAX);
        }
    }

    #[test]
    fn the_most_nested_pattern_is_compiled_under_an_expression_of_any_height() {
        let text = |text: &str| node(DataType::String, ExprKind::Literal(Literal::String(text.into())));
        let nested = "(".repeat(249) + "a" + &")".repeat(249);
        let call = ExprKind::Call {
            function: Function::RegexpLike,
            args: vec![text("a"), text(&nested)],
            site: 0,
        };
        let flag = ExprKind::Field(FieldRef {
            scope: Scope::Input,
            name: "flag".into(),
            index: 0,
        });
        let flag = node(DataType::Bool, flag);
        let work = move || {
            let mut chain = node(DataType::Bool, call);
            for height in 1..256 {
                assert!(Program::compile(&chain).is_ok(), "{height}");
                chain = both(chain, flag.clone());
            }
        };
        // What a thread of a runtime has.
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        thread.spawn(work).unwrap().join().unwrap();
    }
}
