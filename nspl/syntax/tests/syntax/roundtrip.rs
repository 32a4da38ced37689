//! Properties of reading and printing.

use nspl_syntax::{Parsed, Statement, format, parse, print, print_masked};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::select;

use crate::generator::expression::expression;
use crate::generator::statement::statement;

fn read_one(text: &str) -> Result<Statement, String> {
    let parsed = parse(text);
    match (parsed.faults.first(), parsed.statements.as_slice()) {
        (None, [only]) => Ok(only.node.clone()),
        (fault, _) => Err(format!("{fault:?}\n{text}")),
    }
}

/// Faults and spans of any input lie within it and on boundaries of characters.
fn check_places(text: &str, parsed: &Parsed) {
    let spans = parsed
        .faults
        .iter()
        .flat_map(|fault| std::iter::once(fault.span).chain(fault.labels.iter().map(|(span, _)| *span)));
    let spans = spans.chain(parsed.statements.iter().map(|statement| statement.span));
    for span in spans.chain(parsed.comments.iter().map(|comment| comment.span)) {
        assert!(text.get(span.range()).is_some(), "{span:?} of {text:?}");
    }
}

/// Pieces of scripts in any order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = "CREATE ALTER DROP EMITTER RELAY SCHEMA FROM TO CLIENT MODE ACK SEQUENTIAL RETRY POLICY BACKOFF MAX \
        FLUSH IMMEDIATE EACH ON MESSAGE ERROR LOG SET INHERIT ALL WHERE CASE WHEN THEN ELSE END IF NOT AND OR AS I8 VEC \
        TRY_CAST JSON_VALUE IS NULL a b input . , ; ( ) [ ] { } = == != <> < > + - * / % 1 2.5 10ms 1MiB 12x 'x' \"y\" ' \
        -- /* */ @ ä \n";
    let pieces: Vec<&str> = pieces.split(' ').filter(|piece| !piece.is_empty()).collect();
    vec(select(pieces), 0..60).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_printed_reads_as_the_same_statement(statement in statement()) {
        let text = print(&statement);
        let read = read_one(&text).map_err(proptest::test_runner::TestCaseError::fail)?;
        prop_assert_eq!(&read, &statement, "{}", text);
        prop_assert_eq!(print(&read), text);
    }

    #[test]
    fn what_is_printed_masked_still_reads(statement in statement()) {
        let masked = print_masked(&statement);
        prop_assert!(read_one(&masked).is_ok(), "{}", masked);
    }

    #[test]
    fn expressions_print_as_they_read(expression in expression()) {
        let text = format!("ALTER EMITTER e ADD FROM r WHERE {expression};");
        let read = read_one(&text).map_err(proptest::test_runner::TestCaseError::fail)?;
        prop_assert_eq!(print(&read), text.replacen("e ADD", "e\n  ADD", 1));
    }

    #[test]
    fn a_formatted_script_is_its_statements_in_canonical_form(statements in vec(statement(), 0..4)) {
        let script: String = statements.iter().map(|statement| print(statement) + "\n").collect();
        prop_assert_eq!(format(&script), Ok(script.clone()));
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        check_places(&text, &parse(&text));
    }

    #[test]
    fn any_soup_of_tokens_is_read_and_formats_when_it_has_no_faults(text in soup()) {
        let parsed = parse(&text);
        check_places(&text, &parsed);
        if let Ok(once) = format(&text) {
            prop_assert_eq!(format(&once), Ok(once.clone()));
        }
    }

    #[test]
    fn a_statement_cut_anywhere_gives_faults_that_lie_in_it(statement in statement(), cut in any::<proptest::sample::Index>()) {
        let text = print(&statement);
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let cut = boundaries[cut.index(boundaries.len())];
        let broken = format!("{} ; STOP", text.get(..cut).unwrap_or_default());
        check_places(&broken, &parse(&broken));
    }
}
