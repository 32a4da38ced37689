//! Tests of the formatter.

use crate::format::format;

fn formatted(text: &str) -> String {
    let once = format(text).unwrap_or_else(|faults| panic!("{faults:?}"));
    let twice = format(&once).unwrap_or_else(|faults| panic!("{faults:?}\n{once}"));
    assert_eq!(once, twice, "formatting is idempotent");
    once
}

#[test]
fn statements_are_canonical_and_blank_lines_kept_once() {
    let text = "use d;start;\n\n\n\ncreate schema s(a i8,b string optional)";
    assert_eq!(
        formatted(text),
        "USE d;\nSTART;\n\nCREATE SCHEMA s (\n  a I8,\n  b STRING OPTIONAL\n);\n"
    );
}

#[test]
fn comments_keep_their_places() {
    let text = "\
-- head
/* two
   lines */

create schema s ( -- the schema
  -- first
  a i8, -- a
  b string /* b */, c i8
  -- last
) -- end
; -- really

-- tail
";
    let wanted = "\
-- head
/* two
   lines */

CREATE SCHEMA s ( -- the schema
  -- first
  a I8, -- a
  b STRING, /* b */
  c I8
-- last
-- end
-- really
);

-- tail
";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn comments_survive_where_printing_changes_the_tokens() {
    let text = "create relay r schema s unbranched;
create ingestor i from client schema s filter where ((a)) is null -- null?
  and (b <> 'x') /* not x */ mode ack
  -- the route
  to r inherit all unbranched flush immediate on message error log on general error log; /* a */ /* b */ stop;";
    let out = formatted(text);
    for comment in ["-- null?", "/* not x */", "-- the route", "/* a */", "/* b */"] {
        assert_eq!(out.matches(comment).count(), 1, "{comment} in\n{out}");
    }
    assert!(out.contains("  -- the route\n  TO r\n"), "{out}");
}

#[test]
fn several_comments_behind_one_line_move_before_it() {
    assert_eq!(formatted("use -- a\n d -- b\n;"), "-- a\n-- b\nUSE d;\n");
    assert_eq!(
        formatted("stop /* a */ -- b\n; use d; -- c"),
        "/* a */\n-- b\nSTOP;\nUSE d; -- c\n"
    );
}

#[test]
fn a_comment_stands_nowhere_inside_a_string() {
    let text = "create codec c from json to schema s with jaq transformations on ingestion '.a -- x
 | .b' -- program\n on emitting '.';";
    assert!(formatted(text).contains("'.a -- x\n | .b' -- program\n"));
}

#[test]
fn comments_alone_and_empty_scripts_are_kept() {
    assert_eq!(formatted(""), "");
    assert_eq!(formatted(" ;; \n"), "");
    assert_eq!(
        formatted("-- a\n\n\n/* b */ /* c */"),
        "-- a\n\n/* b */\n/* c */\n"
    );
}

#[test]
fn a_script_with_faults_is_left_alone() {
    assert_eq!(format("CREATE;").unwrap_err().len(), 1);
}
