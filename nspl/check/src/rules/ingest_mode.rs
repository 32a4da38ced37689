//! MODE of ingestors (companion section 8, rulings section 3).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1219",
    title: "An ingestor FROM CLIENT has MODE ACK or NO_ACK, one FROM KAFKA ACK SEQUENTIAL, ACK PARALLEL MAX n or NO_ACK",
    fails: "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK SEQUENTIAL TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// FROM CLIENT there is no window: a writer decides by itself how much it sends ahead.
pub(crate) fn window(place: Span) -> Diagnostic {
    RULE.fault(place, "an ingestor FROM CLIENT has no window in its MODE")
        .help("write MODE ACK or MODE NO_ACK")
}

/// FROM KAFKA the window says how far a partition is read ahead of its offset.
pub(crate) fn no_window(place: Span) -> Diagnostic {
    RULE.fault(place, "MODE ACK of an ingestor FROM KAFKA needs a window")
        .help("write MODE ACK SEQUENTIAL or MODE ACK PARALLEL MAX <n>")
}
