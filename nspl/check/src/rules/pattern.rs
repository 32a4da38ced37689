//! Constant patterns are compiled at validation (rulings section 5).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1317",
    title: "A constant regular expression compiles",
    fails: emitter_example!("INHERIT id SET flag = regexp_like(id, '(')"),
    passes: emitter_example!("INHERIT id SET flag = regexp_like(id, '[(]')"),
};

/// A compiled pattern takes at most this much memory.
const SIZE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Compiles a pattern as the data plane does.
///
/// # Errors
/// Why it does not compile, in one line.
pub(crate) fn compile(pattern: &str) -> Result<(), String> {
    let compiled = regex::RegexBuilder::new(pattern)
        .size_limit(SIZE_BYTES_MAX)
        .build();
    compiled.map(drop).map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it is larger than 4 MiB when compiled".into(),
        other => other
            .to_string()
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned(),
    })
}

/// The pattern does not compile.
pub(crate) fn fault(place: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("no regular expression: {why}"))
}
