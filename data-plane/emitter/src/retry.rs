//! Retry pacing (`emitters.txt`, Publishing modes): delays begin at BACKOFF, double, and cap at MAX.
//!
//! Invariant: a delay is never shorter than the policy's, and only what the destination asked for makes it longer. There
//! is no last attempt. Work that succeeded is forgotten together with its `Retry`, so the next begins at BACKOFF. This machine knows no clock: it says how long, the shell waits.

use std::time::Duration;

use nspl_model::RetryPolicy;

/// A delay that a destination asks for beyond this cannot be scheduled and extends nothing.
pub const ASKED_DELAY_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Counts the failures of one unit of work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retry {
    policy: RetryPolicy,
    failures: u32,
}

impl Retry {
    /// Nothing has failed yet.
    pub(crate) fn new(policy: RetryPolicy) -> Self {
        Self { policy, failures: 0 }
    }

    /// How long to wait after one more failure, at least `asked` where the destination asked for patience.
    pub(crate) fn after_failure(&mut self, asked: Option<Duration>) -> Duration {
        let factor = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        let backoff = self.policy.backoff.saturating_mul(factor).min(self.policy.max);
        self.failures = self.failures.saturating_add(1);
        Self::at_least(backoff, asked)
    }

    /// `backoff`, or what the destination asked for where that is longer and can be scheduled.
    pub(crate) fn at_least(backoff: Duration, asked: Option<Duration>) -> Duration {
        match asked {
            Some(asked) if asked <= ASKED_DELAY_MAX => backoff.max(asked),
            _ => backoff,
        }
    }
}

#[cfg(test)]
mod tests;
