//! Regular expressions (rulings section 5): the syntax of the regex crate, and its replacement syntax.

use nspl_model::Literal;
use regex::{Regex, RegexBuilder};

use super::text::{KEPT_BYTES_MAX, TEXT_BYTES_MAX};
use super::{Failure, Folded};

/// A compiled pattern takes at most this much memory.
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// Longer texts are not matched at validation: a large pattern over a long text takes seconds.
const MATCHED_BYTES_MAX: usize = 4 << 10;

/// Compiles a pattern as the data plane does.
///
/// # Errors
/// Why it does not compile, in one line.
pub(crate) fn compile(pattern: &str) -> Result<Regex, Failure> {
    let compiled = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build();
    compiled.map_err(|error| match error {
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
    compile(pattern).and_then(judge)
}
