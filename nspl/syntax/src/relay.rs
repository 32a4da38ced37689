//! `RELAY r SCHEMA s UNBRANCHED | BRANCHED BY b [CAPACITY n] [WITH MATERIALIZED STATE LAST BY TIMESTAMP]`
//! (companion sections 2 and 9).

use crate::grammar::{Rule, flag, keyword, name, phrase};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::quantity::{Whole, whole};
use chumsky::prelude::{Parser, choice};

/// A relay definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relay {
    /// The name of the relay.
    pub name: Name,
    /// The schema of its records.
    pub schema: Name,
    /// The branch it is branched by; none when UNBRANCHED.
    pub branched_by: Option<Name>,
    /// The batches a consumer may be behind.
    pub capacity: Option<Whole>,
    /// Whether the last record of each branch is kept as materialized state.
    pub materialized: bool,
}

/// The label of a place for a relay's name.
pub(crate) const RELAY: &str = "a relay name";

pub(crate) fn rule<'t>() -> Rule<'t, Relay> {
    let head = keyword("RELAY").ignore_then(name(RELAY));
    let schema = keyword("SCHEMA").ignore_then(name("a schema name"));
    let unbranched = keyword("UNBRANCHED").map(|_| None).boxed();
    let branched = phrase("BRANCHED BY")
        .ignore_then(name("a branch name"))
        .map(Some)
        .boxed();
    let capacity = keyword("CAPACITY").ignore_then(whole()).or_not();
    let materialized = flag("WITH MATERIALIZED STATE LAST BY TIMESTAMP");
    head.then(schema)
        .then(choice((unbranched, branched)))
        .then(capacity)
        .then(materialized)
        .map(
            |((((name, schema), branched_by), capacity), materialized)| Relay {
                name,
                schema,
                branched_by,
                capacity,
                materialized,
            },
        )
        .boxed()
}

impl Print for Relay {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("RELAY ")
            .node(&self.name)
            .put(" SCHEMA ")
            .node(&self.schema);
        match &self.branched_by {
            None => printer.put(" UNBRANCHED"),
            Some(branch) => printer.put(" BRANCHED BY ").node(branch),
        };
        if let Some(capacity) = &self.capacity {
            printer.put(" CAPACITY ").node(capacity);
        }
        printer.put(if self.materialized {
            " WITH MATERIALIZED STATE LAST BY TIMESTAMP"
        } else {
            ""
        });
    }
}
