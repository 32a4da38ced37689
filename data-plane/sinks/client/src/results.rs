//! Results of answered attempts, kept so that the same answer again gets the same outcome.
//!
//! Invariant: at most [`KEPT_RESULTS`] are kept, the newest ones. Attempts that were revoked are not kept: every later
//! answer to them is stale.

use std::collections::VecDeque;

use ahash::AHashMap;

use crate::event::AnswerResult;

/// How many results of one emitter are kept (`flight.md`, Consuming).
pub const KEPT_RESULTS: usize = 10_000;

/// The kept results of one exchange.
#[derive(Debug, Default)]
pub(crate) struct Results {
    order: VecDeque<u64>,
    by_number: AHashMap<u64, AnswerResult>,
}

impl Results {
    /// Keeps the result of an attempt that was just answered.
    pub(crate) fn keep(&mut self, number: u64, result: AnswerResult) {
        if self.order.len() >= KEPT_RESULTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_number.remove(&oldest);
        }
        self.order.push_back(number);
        self.by_number.insert(number, result);
    }

    /// The outcome of an answer to an attempt that is not live.
    pub(crate) fn outcome(&self, number: u64, answer: AnswerResult) -> AnswerResult {
        match self.by_number.get(&number) {
            Some(kept) if *kept == answer => answer,
            _ => AnswerResult::Stale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerResult, KEPT_RESULTS, Results};

    #[test]
    fn the_newest_results_are_kept_and_a_different_answer_is_stale() {
        let mut results = Results::default();
        for number in 0..=KEPT_RESULTS as u64 {
            results.keep(number, AnswerResult::Confirmed);
        }
        assert_eq!(
            results.outcome(0, AnswerResult::Confirmed),
            AnswerResult::Stale,
            "forgotten"
        );
        assert_eq!(
            results.outcome(1, AnswerResult::Confirmed),
            AnswerResult::Confirmed
        );
        assert_eq!(results.outcome(1, AnswerResult::Rejected), AnswerResult::Stale);
        assert_eq!(results.order.len(), KEPT_RESULTS);
        assert_eq!(results.by_number.len(), KEPT_RESULTS);
    }
}
