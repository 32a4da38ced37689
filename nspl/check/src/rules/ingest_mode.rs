//! MODE of an ingestor FROM CLIENT (companion section 8).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1219",
    title: "An ingestor FROM CLIENT has MODE ACK or MODE NO_ACK",
    fails: "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK SEQUENTIAL TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// There is no window: a writer decides by itself how much it sends ahead.
pub(crate) fn fault(place: Span) -> Diagnostic {
    RULE.fault(place, "an ingestor FROM CLIENT has no window in its MODE")
        .help("write MODE ACK or MODE NO_ACK")
}
