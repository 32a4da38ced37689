//! Comments anywhere in a script survive formatting.

use nspl_syntax::{format, parse, print};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq, proptest};
use proptest::sample::Index;

use crate::generator::statement::statement;

/// The places of a printed script where a comment may stand: its blanks and line ends outside of strings.
fn gaps(text: &str) -> Vec<usize> {
    let mut inside = false;
    let mut gaps = vec![0];
    for (at, character) in text.char_indices() {
        inside ^= character == '\'';
        if !inside && character.is_ascii_whitespace() {
            gaps.push(at);
        }
    }
    gaps
}

/// Puts numbered comments of four kinds into the gaps.
fn with_comments(text: &str, places: &[(Index, u8)]) -> String {
    let gaps = gaps(text);
    let mut chosen: Vec<(usize, usize, u8)> = places
        .iter()
        .enumerate()
        .map(|(number, (gap, kind))| (gaps[gap.index(gaps.len())], number, *kind))
        .collect();
    chosen.sort_unstable();
    let mut out = text.to_owned();
    for (at, number, kind) in chosen.into_iter().rev() {
        let comment = match kind % 4 {
            0 => format!(" -- c{number}.\n"),
            1 => format!("\n-- c{number}.\n"),
            2 => format!(" /* c{number}. */ "),
            _ => format!("\n/* c{number}.\n   'more */ "),
        };
        out.insert_str(at, &comment);
    }
    out
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(192))]

    #[test]
    fn formatting_keeps_every_comment_and_statement_and_is_idempotent(
        statements in vec(statement(), 1..3),
        places in vec((any::<Index>(), any::<u8>()), 0..8),
    ) {
        let script: String = statements.iter().map(|statement| print(statement) + "\n").collect();
        let text = with_comments(&script, &places);
        let once = format(&text).map_err(|faults| proptest::test_runner::TestCaseError::fail(format!("{faults:?}\n{text}")))?;
        prop_assert_eq!(format(&once), Ok(once.clone()), "{}", text);
        prop_assert_eq!(&parse(&once).statements, &parse(&text).statements);
        let mut before: Vec<String> = parse(&text).comments.into_iter().map(|comment| comment.text).collect();
        let mut after: Vec<String> = parse(&once).comments.into_iter().map(|comment| comment.text).collect();
        before.sort_unstable();
        after.sort_unstable();
        prop_assert_eq!(before, after, "{}\n=>\n{}", text, once);
    }
}
