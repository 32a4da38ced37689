//! What fits at a place of a script, in protobuf.

use nervix_proto::v1::{Candidate, CompleteRequest, CompleteResponse};
use nspl::Catalog;

pub(super) fn answer(request: &CompleteRequest, catalog: &Catalog) -> CompleteResponse {
    let cursor = usize::try_from(request.cursor).unwrap_or(usize::MAX);
    let domain = Some(request.domain.as_str()).filter(|domain| !domain.is_empty());
    let completion = nspl::complete(&request.script, cursor, catalog, domain);
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
