//! So much in a period: for what is told of each and may be told of very many.

use std::time::Duration;

use crate::PhysicalInstant;

/// A bound of how often something is done; what is passed over is counted.
///
/// Invariant: in each period, which begins with the first use after the one before, it allows `most` uses.
#[derive(Debug)]
pub struct Allowance {
    most: u32,
    period: Duration,
    used: u32,
    ends: Option<PhysicalInstant>,
    passed_over: u64,
}

impl Allowance {
    /// Allows `most` in each period.
    pub fn new(most: u32, period: Duration) -> Self {
        Self {
            most,
            period,
            used: 0,
            ends: None,
            passed_over: 0,
        }
    }

    /// Asks for one use, about so many items. When it is allowed: how many were passed over since the last one that was;
    /// otherwise these are, too.
    pub fn take(&mut self, now: PhysicalInstant, items: u64) -> Option<u64> {
        if self.ends.is_none_or(|ends| now >= ends) {
            self.ends = Some(now.after(self.period));
            self.used = 0;
        }
        if self.used >= self.most {
            self.passed_over += items;
            return None;
        }
        self.used += 1;
        Some(std::mem::take(&mut self.passed_over))
    }

    /// When what was passed over may be told, if nothing more is asked for.
    pub fn due(&self) -> Option<PhysicalInstant> {
        self.ends.filter(|_| self.passed_over > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Allowance;
    use crate::ManualClock;

    #[test]
    fn a_period_begins_with_its_first_use_and_what_is_passed_over_is_told_with_the_next() {
        let (now, second) = (ManualClock::new().physical().now(), Duration::from_secs(1));
        let mut allowance = Allowance::new(2, second);
        let mut take = |after: Duration, items| allowance.take(now.after(after), items);
        assert_eq!(take(Duration::ZERO, 1), Some(0));
        assert_eq!(take(second / 2, 1), Some(0));
        assert_eq!(take(second / 2, 3), None);
        assert_eq!(take(second - Duration::from_nanos(1), 4), None);
        assert_eq!(take(second * 5, 1), Some(7));
        assert_eq!(take(second * 5, 1), Some(0));
        assert_eq!(take(second * 5, 1), None);
        assert_eq!(take(second * 6, 1), Some(1));
        assert_eq!(allowance.due(), None);
        assert_eq!(allowance.take(now.after(second * 6), 1), Some(0));
        assert_eq!(allowance.take(now.after(second * 6), 1), None);
        assert_eq!(allowance.due(), Some(now.after(second * 7)));
    }
}
