//! What is demanded of any text: one function per target, for the fuzzer and for the bounded run in `cargo test`.
//!
//! Invariant: a function returns for every text; it panics where the language breaks a promise.

use std::sync::OnceLock;

use nspl::{Action, Catalog, Colour, Known, Listing, check, complete, format};
use nspl_syntax::limits::SCRIPT_BYTES_MAX;
use nspl_syntax::{Span, parse, print, print_masked, propose};

/// A target and its name.
pub(crate) type Target = (&'static str, fn(&str));

/// Steps of a plan whose reads are looked at.
const READ_MAX: usize = 64;

/// Every target.
pub(crate) const TARGETS: [Target; 3] = [
    ("parse", parse_target),
    ("check", check_target),
    ("print", print_target),
];

/// Lexer and parser: all places lie in the text and on characters, statements in written order and apart; a text
/// without statements and faults has no tokens.
pub(crate) fn parse_target(text: &str) {
    let parsed = parse(text);
    let inside = |span: Span| assert!(text.get(span.range()).is_some(), "{span:?} is no place");
    let mut end = 0;
    for statement in &parsed.statements {
        inside(statement.span);
        assert!(
            statement.span.start >= end,
            "statements overlap at {}",
            statement.span.start
        );
        end = statement.span.end;
    }
    for comment in &parsed.comments {
        inside(comment.span);
        let written = text.get(comment.span.range()).unwrap_or_default();
        assert_eq!(
            written.trim_end(),
            comment.text.trim_end(),
            "a comment is not as written"
        );
    }
    if text.len() <= SCRIPT_BYTES_MAX {
        for fault in &parsed.faults {
            inside(fault.span);
            fault.labels.iter().for_each(|(span, _)| inside(*span));
            assert!(!fault.message.is_empty(), "a fault says nothing");
        }
    }
    inside(propose(text).span);
    let known = Known {
        catalog: world(),
        domain: Some("shop"),
        nodes: &["node-1.example".to_owned()],
    };
    for found in complete(text, text.len(), &known).candidates {
        inside(found.span.into());
    }
}

/// Checker: every diagnostic has a code, lies in the text and is shown, for people and for programs.
pub(crate) fn check_target(text: &str) {
    let report = check("fuzzed.nspl", text, Some("shop"), world());
    let listing = Listing::new("fuzzed.nspl", text);
    let mut before = 0;
    for found in &report.diagnostics {
        assert!(
            found.span.start >= before,
            "diagnostics are not in the order of the text"
        );
        before = found.span.start;
        assert!(
            text.get(found.span.clone()).is_some(),
            "{:?} is no place",
            found.span
        );
        assert!(listing.render(found, Colour::Never).contains(found.code));
        assert!(listing.json_line(found).contains(found.code));
    }
    // What a reading statement reads is worked out when it is looked at.
    for step in report.plan.steps.iter().take(READ_MAX) {
        if let Action::Read { catalog, .. } = &step.action {
            assert!(!catalog.is_empty(), "a transaction reads nothing");
        }
    }
    // What is judged twice is judged alike.
    let again = check("fuzzed.nspl", text, Some("shop"), world());
    assert_eq!(
        again.diagnostics, report.diagnostics,
        "the second judgement differs"
    );
}

/// Printer and formatter: what is printed reads as what it was printed from, and formatting is done after one time.
pub(crate) fn print_target(text: &str) {
    let parsed = parse(text);
    for statement in &parsed.statements {
        let printed = print(&statement.node);
        let again = parse(&printed);
        assert_eq!(again.faults, [], "{printed}");
        assert_eq!(again.statements.len(), 1, "{printed}");
        assert_eq!(again.statements[0].node, statement.node, "{printed}");
        assert_eq!(print(&again.statements[0].node), printed);
        let masked = print_masked(&statement.node);
        assert_eq!(parse(&masked).faults, [], "{masked}");
    }
    if let Ok(once) = format(text) {
        assert_eq!(format(&once).as_deref(), Ok(once.as_str()), "formatting goes on");
        let formatted = parse(&once);
        assert_eq!(
            formatted.statements, parsed.statements,
            "formatting changes statements"
        );
        assert_eq!(
            formatted.comments.len(),
            parsed.comments.len(),
            "formatting loses comments"
        );
    }
}

/// The catalog that texts are judged in.
fn world() -> &'static Catalog {
    static WORLD: OnceLock<Catalog> = OnceLock::new();
    WORLD.get_or_init(|| {
        let text = include_str!("../tests/corpus/world.nspl");
        check("world.nspl", text, None, &Catalog::default()).plan.catalog
    })
}
