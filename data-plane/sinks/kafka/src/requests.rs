//! How much goes to the brokers at a time, after they refused a request as a whole.
//!
//! A refusal says nothing about one record of several: one may be bad, or together they were more than the topic takes, which
//! nobody tells. So less goes at a time: a sixteenth of what was refused, or half where that much has passed before. What
//! passes widens the bound again, and so does a record that was refused alone, since it was the cause.
//!
//! Invariants: with a bound, a write goes to the brokers alone, and has one record at least. This machine knows no producer.

/// What is sent at a time, at first, of what was refused: one part in so many.
const NARROWS_TO: usize = 16;
/// After so many times the bound it is doubled.
const WIDENS_AFTER: usize = 64;
/// A bound of so many bytes is none: more than librdkafka puts into a request, unless it is told to.
const WIDE_BYTES: usize = 1024 * 1024;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// The most bytes of one write; none while nothing was refused.
    bound: Option<usize>,
    /// Bytes of the last write that were refused together with others.
    refused: usize,
    /// Bytes of the last write that passed.
    passed: usize,
    /// Bytes that have passed under this bound.
    passed_under: usize,
    /// The most bytes of a write of which nothing was refused.
    good: usize,
}

impl Requests {
    /// A record of so many bytes was refused together with others.
    pub(crate) fn refused(&mut self, bytes: usize) {
        self.refused = self.refused.saturating_add(bytes);
    }

    /// A record of so many bytes was delivered.
    pub(crate) fn passed(&mut self, bytes: usize) {
        if self.bound.is_some() {
            self.passed = self.passed.saturating_add(bytes);
        }
    }

    /// A record was refused that was alone.
    pub(crate) fn refused_alone(&mut self) {
        self.bound = None;
    }

    /// Whether what is sent is bounded.
    pub(crate) fn is_bounded(&self) -> bool {
        self.bound.is_some() || self.refused > 0
    }

    /// The most bytes of the next write, when the one before is over.
    pub(crate) fn next_bound(&mut self) -> Option<usize> {
        let (refused, passed) = (
            std::mem::take(&mut self.refused),
            std::mem::take(&mut self.passed),
        );
        if refused > 0 {
            let least = refused / NARROWS_TO;
            let known = if self.good < refused {
                self.good.min(refused / 2)
            } else {
                0
            };
            self.bound = Some(least.max(known));
            self.passed_under = 0;
            return self.bound;
        }
        self.good = self.good.max(passed);
        self.passed_under = self.passed_under.saturating_add(passed);
        let bound = self.bound?;
        if self.passed_under >= bound.saturating_mul(WIDENS_AFTER) {
            self.passed_under = 0;
            self.bound = Some(bound.max(1).saturating_mul(2)).filter(|wider| *wider < WIDE_BYTES);
        }
        self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::{Requests, WIDE_BYTES};

    /// Writes so many records of `bytes` in order, where brokers take at most `limit` bytes at a time; `bad` is never taken.
    /// Gives how many writes it took.
    fn writes(
        requests: &mut Requests,
        (records, bytes): (usize, usize),
        limit: usize,
        bad: Option<usize>,
    ) -> usize {
        let (mut next, mut writes) = (0, 0);
        while next < records {
            writes += 1;
            let fitting = requests
                .next_bound()
                .map_or(records, |bound| (bound / bytes).max(1));
            let end = records.min(next + fitting);
            let is_refused =
                (end - next) * bytes > limit || bad.is_some_and(|bad| (next..end).contains(&bad));
            match (is_refused, end - next) {
                (true, 1) => requests.refused_alone(),
                (true, several) => {
                    requests.refused(several * bytes);
                    continue;
                }
                (false, several) => requests.passed(several * bytes),
            }
            next = end;
        }
        writes
    }

    #[test]
    fn a_limit_below_the_clients_batch_is_learnt_and_held() {
        let mut requests = Requests::default();
        let fewest = 20_000 * 70 / 20_000;
        let taken = writes(&mut requests, (20_000, 70), 20_000, None);
        assert!(taken < 3 * fewest, "{taken} writes, {fewest} at least");
        assert!(requests.is_bounded());
    }

    #[test]
    fn one_bad_record_of_very_many_is_found_in_few_writes_and_then_nothing_is_bounded() {
        let mut requests = Requests::default();
        let taken = writes(&mut requests, (10_000, 70), usize::MAX, Some(6_789));
        assert!(taken < 50, "{taken} writes");
        assert!(!requests.is_bounded());
    }

    #[test]
    fn a_bound_widens_with_what_passes_until_it_is_none() {
        let mut requests = Requests::default();
        requests.refused(WIDE_BYTES);
        let mut bound = requests.next_bound();
        for _ in 0..64 * 5 {
            requests.passed(bound.unwrap_or_default());
            bound = requests.next_bound();
        }
        assert_eq!(bound, None);
        requests.refused(3);
        assert_eq!(requests.next_bound(), Some(0), "one record at a time");
    }
}
