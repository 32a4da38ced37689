//! `BRANCH b SCHEMA s TTL d [MAX INSTANCES n EVICT LRU]` (companion sections 2 and 9).

use crate::grammar::{Rule, keyword, name, phrase};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::quantity::{Duration, Whole, duration, whole};
use chumsky::prelude::Parser;

/// A branch definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    /// The name of the branch.
    pub name: Name,
    /// The schema of its key.
    pub schema: Name,
    /// How long an instance lives without work.
    pub ttl: Duration,
    /// The bound on instances; EVICT LRU always follows it.
    pub max_instances: Option<Whole>,
}

pub(crate) fn rule<'t>() -> Rule<'t, Branch> {
    let head = keyword("BRANCH").ignore_then(name("a branch name"));
    let schema = keyword("SCHEMA").ignore_then(name("a schema name"));
    let ttl = keyword("TTL").ignore_then(duration());
    let bound = phrase("MAX INSTANCES")
        .ignore_then(whole())
        .then_ignore(phrase("EVICT LRU"))
        .or_not();
    head.then(schema)
        .then(ttl)
        .then(bound)
        .map(|(((name, schema), ttl), max_instances)| Branch {
            name,
            schema,
            ttl,
            max_instances,
        })
        .boxed()
}

impl Print for Branch {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("BRANCH ")
            .node(&self.name)
            .put(" SCHEMA ")
            .node(&self.schema)
            .put(" TTL ")
            .node(&self.ttl);
        if let Some(bound) = &self.max_instances {
            printer.put(" MAX INSTANCES ").node(bound).put(" EVICT LRU");
        }
    }
}
