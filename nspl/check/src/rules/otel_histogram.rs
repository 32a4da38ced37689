//! One bucket more than bounds (emitters.txt "OTEL").

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1269",
    title: "bucket_counts has one element more than explicit_bounds",
    fails: direct_example!(
        "OTEL otel METRIC 'm' UNIT '1' HISTOGRAM CUMULATIVE VALUES {'time' = at, 'count' = count, 'bucket_counts' = [1, 2], 'explicit_bounds' = [0.5, 1.0]}",
        ""
    ),
    passes: direct_example!(
        "OTEL otel METRIC 'm' UNIT '1' HISTOGRAM CUMULATIVE VALUES {'time' = at, 'count' = count, 'bucket_counts' = [1, 2], 'explicit_bounds' = [0.5]}",
        ""
    ),
};

/// Both lengths are known, and do not go together.
pub(crate) fn fault((place, counts): (Span, usize), (beside, bounds): (Span, usize)) -> Diagnostic {
    let message = format!(
        "bucket_counts has length {counts}, and explicit_bounds of length {bounds} wants {}",
        bounds + 1
    );
    RULE.fault(place, message)
        .label(beside.range(), format!("of length {bounds}"))
}
