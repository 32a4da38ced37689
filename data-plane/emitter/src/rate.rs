//! How fast something went lately.
//!
//! Invariant: at most [`SLOTS`] numbers are kept; what is older than the window counts no more.

use std::time::Duration;

/// Seconds that a rate looks back over.
pub(crate) const SLOTS: usize = 10;

/// Sums by second, over the last [`SLOTS`] whole seconds.
#[derive(Debug, Default, Clone)]
pub(crate) struct Rate {
    slots: [u64; SLOTS],
    second: u64,
}

impl Rate {
    /// Adds `amount` at `at`, time since the beginning of the run.
    pub(crate) fn add(&mut self, amount: u64, at: Duration) {
        self.move_to(at.as_secs());
        self.slots[(self.second % SLOTS as u64) as usize] += amount;
    }

    /// Per second at `at`, over the last whole seconds that the run has had.
    pub(crate) fn per_second(&self, at: Duration) -> f64 {
        let mut now = self.clone();
        now.move_to(at.as_secs());
        let whole = now.second.min(SLOTS as u64 - 1);
        if whole == 0 {
            return 0.0;
        }
        let running = (now.second % SLOTS as u64) as usize;
        let sum: u64 = now
            .slots
            .iter()
            .enumerate()
            .filter(|(slot, _)| *slot != running)
            .map(|(_, sum)| sum)
            .sum();
        sum as f64 / whole as f64
    }

    fn move_to(&mut self, second: u64) {
        for step in 0..second.saturating_sub(self.second).min(SLOTS as u64) {
            let slot = (second - step) % SLOTS as u64;
            self.slots[slot as usize] = 0;
        }
        self.second = self.second.max(second);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Rate;

    #[test]
    fn a_rate_counts_whole_seconds_of_the_window_and_forgets_older_ones() {
        let mut rate = Rate::default();
        let at = Duration::from_secs;
        assert!(rate.per_second(at(0)).abs() < f64::EPSILON);
        for second in 0..5 {
            rate.add(100, at(second));
        }
        assert!(
            (rate.per_second(at(4)) - 100.0).abs() < f64::EPSILON,
            "the running second does not count"
        );
        assert!((rate.per_second(at(5)) - 100.0).abs() < f64::EPSILON);
        assert!(rate.per_second(at(100)).abs() < f64::EPSILON);
        rate.add(90, at(100));
        assert!((rate.per_second(at(101)) - 10.0).abs() < f64::EPSILON);
    }
}
