//! Delays between attempts: doubling from [`FIRST`] to [`LAST`], each spread over its upper half so that many clients
//! of one server do not come back at the same moment. Pure: it computes delays and waits for nothing.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

/// The first delay.
pub(crate) const FIRST: Duration = Duration::from_millis(50);
/// The longest delay.
pub(crate) const LAST: Duration = Duration::from_secs(5);
/// The longest delay that a server may ask for; a longer wish is cut to it.
pub(crate) const ASKED_MAX: Duration = Duration::from_secs(60);

/// Counts failed attempts in a row.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    attempts: u32,
}

impl Backoff {
    /// The delay before the next attempt, at least `asked` (cut to [`ASKED_MAX`]).
    pub(crate) fn next(&mut self, asked: Duration) -> Duration {
        let delay = spread(full(self.attempts), RandomState::new().hash_one(self.attempts));
        self.attempts = self.attempts.saturating_add(1);
        delay.max(asked.min(ASKED_MAX))
    }

    /// After a success the next delay is [`FIRST`] again.
    pub(crate) fn reset(&mut self) {
        self.attempts = 0;
    }
}

fn full(attempts: u32) -> Duration {
    FIRST
        .saturating_mul(1u32.checked_shl(attempts.min(16)).unwrap_or(u32::MAX))
        .min(LAST)
}

fn spread(full: Duration, random: u64) -> Duration {
    let half = full / 2;
    let share = u32::try_from(random % 1024).unwrap_or(0);
    half + half * share / 1024
}

#[cfg(test)]
mod tests {
    use super::{ASKED_MAX, Backoff, FIRST, LAST, full, spread};
    use std::time::Duration;

    #[test]
    fn delays_double_up_to_the_last_and_start_anew_after_a_success() {
        assert_eq!((full(0), full(1), full(40)), (FIRST, FIRST * 2, LAST));
        let mut backoff = Backoff::default();
        for _ in 0..100 {
            assert!(backoff.next(Duration::ZERO) <= LAST);
        }
        backoff.reset();
        assert!(backoff.next(Duration::ZERO) <= FIRST);
    }

    #[test]
    fn a_server_may_ask_for_more_but_not_for_ever() {
        let mut backoff = Backoff::default();
        assert_eq!(backoff.next(Duration::from_secs(9)), Duration::from_secs(9));
        assert_eq!(backoff.next(Duration::from_secs(1_000_000)), ASKED_MAX);
    }

    #[test]
    fn a_delay_is_spread_over_its_upper_half() {
        for random in [0, 1, 511, 1023, u64::MAX] {
            let delay = spread(LAST, random);
            assert!(delay >= LAST / 2 && delay <= LAST);
        }
    }
}
