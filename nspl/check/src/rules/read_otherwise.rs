//! A name that the database reads as another, or that its queries read as something else.

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "W1003",
    title: "A database reads the names of tables, columns and fields as they are written",
    fails: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'the_identifier_of_the_shipment_as_the_carrier_told_it_to_the_warehouse' = id}",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
    passes: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'the_identifier_of_the_shipment' = id}",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
};

/// `why` says what the database makes of it.
pub(crate) fn fault(place: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("this name is read otherwise: {why}"))
}
