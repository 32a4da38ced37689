//! Patterns of regular expressions (rulings section 5): compiled alike where they are judged and where they run.

use regex::{Regex, RegexBuilder};

/// Bytes that a compiled pattern may take.
pub const BYTES_MAX: usize = 4 << 20;

/// Groups, repetitions, alternatives and classes that a pattern may have inside one another.
pub const NEST_MAX: u32 = 250;

/// What compiling takes of the stack at most: it recurses with the nesting of the pattern.
const STACK: usize = 1 << 20;
/// What is added where less is left.
const MORE: usize = 2 * STACK;

/// Compiles a pattern to at most so many bytes, on a stack of its own where too little is left of this one.
///
/// # Errors
/// It is none, is nested deeper than [`NEST_MAX`], or takes more bytes.
pub fn compile(pattern: &str, bytes_max: usize) -> Result<Regex, regex::Error> {
    stacker::maybe_grow(STACK, MORE, || build(pattern, bytes_max))
}

fn build(pattern: &str, bytes_max: usize) -> Result<Regex, regex::Error> {
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(bytes_max).nest_limit(NEST_MAX).build()
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, NEST_MAX, STACK, build};

    fn nested(before: &str, after: &str, levels: u32) -> String {
        let times = levels as usize;
        before.repeat(times) + "a" + &after.repeat(times)
    }

    #[test]
    fn the_most_nested_patterns_take_half_of_the_stack_that_they_are_given() {
        // What one turn adds, and its levels.
        let turns = [
            ("(", ")", 1),
            ("(?:", ")?", 2),
            ("(?:", ")*", 2),
            ("(", "){1,}?", 2),
            ("(a|", ")", 2),
            ("(a", "b)", 2),
            ("(a|b", "c)+", 4),
            ("", "*", 1),
            ("(?i:", ")", 1),
            ("[", "]", 1),
            ("[^[b]&&", "]", 2),
        ];
        let work = move || {
            for (before, after, levels) in turns {
                let compiles = |levels: u32| build(&nested(before, after, levels), BYTES_MAX).is_ok();
                assert!(compiles((NEST_MAX - 2) / levels), "{before}a{after}");
                assert!(!compiles(NEST_MAX / levels + 1), "{before}a{after}");
            }
        };
        let thread = std::thread::Builder::new().stack_size(STACK / 2);
        thread.spawn(work).unwrap().join().unwrap();
    }
}
