//! What fits at a place of a script.

use std::ops::Range;

use nervix_proto::v1;

/// The candidates for a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Most likely first, each text once.
    pub candidates: Vec<Candidate>,
    /// Whether there are more.
    pub more: bool,
}

/// One text that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What to put in place of the span.
    pub text: String,
    /// What it is, in NSPL's words and lower case: `keyword`, `relay`, `field`, `function`, `key` ...
    pub kind: String,
    /// A few words about it, such as a type or a signature; may be empty.
    pub detail: String,
    /// The bytes of the script that it replaces.
    pub span: Range<usize>,
}

impl From<v1::CompleteResponse> for Completion {
    fn from(response: v1::CompleteResponse) -> Self {
        let wide = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        let candidates = response.candidates.into_iter().map(|candidate| Candidate {
            text: candidate.text,
            kind: candidate.kind,
            detail: candidate.detail,
            span: wide(candidate.start)..wide(candidate.end),
        });
        Completion {
            candidates: candidates.collect(),
            more: response.more,
        }
    }
}
