//! Every rule's examples, in one small world.

use super::RULES;
use crate::{Catalog, Checked, Settings, check_script};

const WORLD: &str = "
CREATE DOMAIN d; USE d; BEGIN;
CREATE SCHEMA event (id STRING, amount I64, small I8, count U8, score F64 OPTIONAL, secret STRING SENSITIVE,
  tags VEC<STRING>, at DATETIME, active BOOL, note STRING OPTIONAL, document STRING, label STRING);
CREATE SCHEMA shipment (id STRING, amount I64 OPTIONAL, total F64 OPTIONAL, note STRING OPTIONAL,
  tags VEC<STRING> OPTIONAL, flag BOOL OPTIONAL, label I64 OPTIONAL);
CREATE SCHEMA failure (reason STRING);
CREATE SCHEMA origin (origin STRING);
CREATE BRANCH by_origin SCHEMA origin TTL 1h;
CREATE RELAY events SCHEMA event UNBRANCHED;
CREATE RELAY latest_events SCHEMA event UNBRANCHED;
CREATE RELAY branched SCHEMA event BRANCHED BY by_origin;
CREATE RELAY failures SCHEMA failure UNBRANCHED;
CREATE RELAY latest SCHEMA origin UNBRANCHED WITH MATERIALIZED STATE LAST BY TIMESTAMP;
CREATE RESOURCE files;
COMMIT;";

fn check(text: &str, catalog: &Catalog) -> Checked {
    check_script(
        &nspl_syntax::parse(text),
        text,
        &Settings::in_domain(Some("d")),
        catalog,
    )
}

fn world() -> Catalog {
    let checked = check(WORLD, &Catalog::default());
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
