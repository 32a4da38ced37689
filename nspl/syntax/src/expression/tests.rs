//! Tests of expressions: precedence, literals, canonical text.

use chumsky::Parser;
use chumsky::inspector::SimpleState;

use crate::expression::{Expr, ExprKind, rule};
use crate::grammar::{input, whole_statement};
use crate::lexer::lex;
use crate::token::Source;

fn read(text: &str) -> Option<Expr> {
    let lexed = lex(text);
    whole_statement(rule())
        .parse_with_state(input(&lexed.tokens), &mut SimpleState(Source::new(text, 0)))
        .into_output()
}

/// Reads, prints, and checks that the printed form reads as the same tree.
fn canonical(text: &str) -> String {
    let tree = read(text).unwrap_or_else(|| panic!("`{text}` reads"));
    let printed = tree.to_string();
    assert_eq!(
        read(&printed).as_ref(),
        Some(&tree),
        "`{printed}` reads as `{text}` does"
    );
    printed
}

#[test]
fn precedence_is_that_of_the_rulings() {
    assert_eq!(canonical("((a)) + (b * c)"), "a + b * c");
    assert_eq!(canonical("(a + b) * c"), "(a + b) * c");
    assert_eq!(canonical("a - (b - c)"), "a - (b - c)");
    assert_eq!(canonical("(a - b) - c"), "a - b - c");
    assert_eq!(canonical("not a = b and c or d"), "NOT a = b AND c OR d");
    assert_eq!(canonical("a or b and c"), "a OR b AND c");
    assert_eq!(canonical("a and (b or c)"), "a AND (b OR c)");
    assert_eq!(canonical("not (a and b)"), "NOT (a AND b)");
    assert_eq!(canonical("(not a) = b"), "(NOT a) = b");
    assert_eq!(canonical("a + b as I8 < c"), "a + b AS I8 < c");
    assert_eq!(canonical("(a + b) as I8"), "(a + b) AS I8");
    assert_eq!(canonical("a as I8 as STRING"), "a AS I8 AS STRING");
}

#[test]
fn a_minus_directly_before_a_number_is_part_of_the_literal() {
    assert_eq!(canonical("-128 as I8"), "-128 AS I8");
    assert!(matches!(read("-128 AS I8").unwrap().kind, ExprKind::Cast { .. }));
    assert!(matches!(read("-x AS I8").unwrap().kind, ExprKind::Unary { .. }));
    assert_eq!(canonical("-(128)"), "-(128)");
    assert_eq!(canonical("- -1"), "- -1");
    assert_eq!(canonical("-(-x)"), "- -x");
    assert_eq!(canonical("-(1 as I8)"), "-(1 AS I8)");
    assert_eq!(canonical("-(-1 as I8)"), "- -1 AS I8");
    assert_eq!(canonical("(-x) as I8"), "(-x) AS I8");
    assert_eq!(canonical("a - -1 -1"), "a - -1 - 1");
    assert_eq!(canonical("-a.b * -c"), "-a.b * -c");
}

#[test]
fn spellings_have_one_canonical_form() {
    assert_eq!(canonical("a <> b"), "a != b");
    assert_eq!(canonical("a is null"), "is_null(a)");
    assert_eq!(canonical("a + 1 IS NOT NULL and b"), "NOT is_null(a + 1) AND b");
    assert_eq!(canonical("INPUT.Field = \"it's\""), "input.Field = 'it''s'");
    assert_eq!(canonical("Lower( Trim(x) )"), "lower(trim(x))");
    assert_eq!(canonical("true = false"), "TRUE = FALSE");
    assert_eq!(
        canonical("[1, -2, [], 'x' as datetime]"),
        "[1, -2, [], 'x' AS DATETIME]"
    );
    assert_eq!(
        canonical("x as array<vec<f64>, 2, 3>"),
        "x AS ARRAY<VEC<F64>, 2, 3>"
    );
}

#[test]
fn forms_with_words_are_read() {
    for text in [
        "IF a > 1 THEN 'x' ELSE 'y' END",
        "CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END",
        "CASE a WHEN 1 THEN 'x' END",
        "TRY_CAST(a AS I8)",
        "JSON_VALUE(doc, '$.a[0]' AS I64)",
        "TRY_JSON_VALUE(doc, '$.a' AS STRING)",
        "JSON_EXISTS(doc, '$')",
        "relay_state.r.f",
        "now()",
        "CASE IF a THEN b ELSE c END WHEN d THEN e END + 1",
    ] {
        assert!(read(text).is_some(), "`{text}` reads");
    }
    assert_eq!(canonical("try_cast(a as I8)"), "TRY_CAST(a AS I8)");
    assert_eq!(canonical("try_cast(a + b as I8)"), "TRY_CAST(a + b AS I8)");
    assert_eq!(
        canonical("try_cast(not -a as I8 as STRING)"),
        "TRY_CAST(NOT -a AS I8 AS STRING)"
    );
    assert!(read("TRY_CAST(a + (b AS I8))").is_none() && read("TRY_CAST(a)").is_none());
    let ExprKind::Cast {
        operand,
        fallible: true,
        ..
    } = read("TRY_CAST(a + b AS I8)").unwrap().kind
    else {
        panic!()
    };
    assert_eq!(operand.to_string(), "a + b");
    assert_eq!(
        canonical("case a when 1 then 'x' end"),
        "CASE a WHEN 1 THEN 'x' END"
    );
    assert_eq!(canonical("json_value(d, '$' as i8)"), "JSON_VALUE(d, '$' AS I8)");
}

#[test]
fn words_of_the_language_are_names_unless_reserved() {
    assert_eq!(
        canonical("batch + mode.flush + input.end"),
        "batch + mode.flush + input.end"
    );
    assert_eq!(canonical("json_value + try_cast"), "json_value + try_cast");
    for reserved in ["end", "case", "NOT", "as", "null.x"] {
        assert!(
            read(&format!("{reserved} + 1")).is_none() || reserved == "NOT",
            "{reserved} is reserved"
        );
    }
}

#[test]
fn what_is_no_expression_is_refused() {
    for text in [
        "a = b = c",
        "a == b",
        "a || b",
        "a IN (b)",
        "a LIKE 'x'",
        "(a",
        "a,",
        "f(a,)",
        "[a,]",
        "1 2",
        "a.b.c.d",
        "+a",
    ] {
        assert!(read(text).is_none(), "`{text}` is refused");
    }
}
