//! What an editor needs: the tree keeps every place and comment, and broken text gives a tree beside its faults.

use nspl_syntax::{parse, print};

use crate::case::cases;

/// The statements around a broken one.
const BEFORE: &str = "CREATE RELAY before SCHEMA s UNBRANCHED;";
const AFTER: &str = "CREATE RELAY after SCHEMA s UNBRANCHED;";

/// Statements that are broken.
const BROKEN: [&str; 9] = [
    "CREATE RELAY;",
    "CREATE SCHEMA s (a I8",
    "ALTER EMITTER e ADD FROM r WHERE (a + (b;",
    "CREATE CLIENT c TYPE NATS CONFIG {'addr' = ;",
    "CREATE EMITTER e FROM r TO KAFKA k TOPIC t MODE",
    "FLY ME;",
    "SHOW RELAYS @;",
    "UPLOAD RESOURCE r VERSION 'open;",
    "/* open;",
];

/// Which of the statements around are in the tree of a text.
fn kept(text: &str) -> Vec<String> {
    let statements = parse(text).statements;
    let printed = statements.iter().map(|statement| print(&statement.node));
    let on_one_line = printed.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    on_one_line
        .filter(|text| [BEFORE, AFTER].contains(&text.as_str()))
        .collect()
}

#[test]
fn statements_around_a_broken_one_are_in_the_tree() {
    for broken in BROKEN {
        let middle = format!("{BEFORE}\n{broken}\n{AFTER}\n");
        assert!(!parse(&middle).faults.is_empty(), "{broken}");
        assert_eq!(kept(&middle), [BEFORE, AFTER], "{broken}");
        let end = format!("{BEFORE}\n{AFTER}\n{broken}");
        assert_eq!(kept(&end), [BEFORE, AFTER], "{broken}");
        assert!(!parse(&end).faults.is_empty(), "{broken}");
    }
}

#[test]
fn places_and_comments_cover_all_that_is_written() {
    for case in cases("ok") {
        let parsed = parse(&case.text);
        let mut covered = vec![false; case.text.len()];
        let statements = parsed.statements.iter().map(|statement| statement.span);
        for span in statements.chain(parsed.comments.iter().map(|comment| comment.span)) {
            covered[span.range()].fill(true);
        }
        let rest: String = case
            .text
            .char_indices()
            .filter(|(at, _)| !covered[*at])
            .map(|(_, letter)| letter)
            .filter(|letter| !letter.is_whitespace() && *letter != ';')
            .collect();
        assert_eq!(rest, "", "{}: written, and in no place of the tree", case.path);
    }
}
