//! Every rule's examples, in one small world.

use super::{EXAMPLE_CATALOG, RULES};
use crate::{Catalog, Checked, Settings, check_script};

fn check(text: &str, catalog: &Catalog) -> Checked {
    check_script(
        &nspl_syntax::parse(text),
        text,
        &Settings::in_domain(Some("d")),
        catalog,
    )
}

fn world() -> Catalog {
    let checked = check(EXAMPLE_CATALOG, &Catalog::default());
    assert_eq!(checked.diagnostics, []);
    checked.plan.catalog
}

#[test]
fn every_rule_refuses_its_failing_example_once_and_accepts_the_corrected_one() {
    let world = world();
    let mut wrong = String::new();
    for rule in RULES.iter().filter(|rule| !rule.fails.is_empty()) {
        let failing = check(rule.fails, &world).diagnostics;
        if failing.iter().map(|diagnostic| diagnostic.code).ne([rule.code]) {
            wrong.push_str(&format!(
                "{} wants to fail: {}\n{failing:#?}\n",
                rule.code, rule.fails
            ));
        }
        let passing = check(rule.passes, &world).diagnostics;
        if !passing.is_empty() {
            wrong.push_str(&format!(
                "{} wants to pass: {}\n{passing:#?}\n",
                rule.code, rule.passes
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn codes_are_unique_and_sorted() {
    assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
}
