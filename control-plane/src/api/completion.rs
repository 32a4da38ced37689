//! What fits at a place of a script, in protobuf.

use nervix_proto::v1::{Candidate, CompleteRequest, CompleteResponse};
use nspl::Known;

use crate::catalog::State;

pub(super) fn answer(request: &CompleteRequest, state: &State) -> CompleteResponse {
    let cursor = usize::try_from(request.cursor).unwrap_or(usize::MAX);
    let nodes: Vec<String> = state.nodes.keys().cloned().collect();
    let known = Known {
        catalog: &state.catalog,
        domain: Some(request.domain.as_str()).filter(|domain| !domain.is_empty()),
        nodes: &nodes,
    };
    let completion = nspl::complete(&request.script, cursor, &known);
    CompleteResponse {
        candidates: completion.candidates.into_iter().map(candidate).collect(),
        more: completion.more,
    }
}

fn candidate(found: nspl::Candidate) -> Candidate {
    // A script is below 4 GiB: one message is.
    let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Candidate {
        text: found.text,
        kind: found.kind.word().into(),
        detail: found.detail,
        start: narrow(found.span.start),
        end: narrow(found.span.end),
    }
}
