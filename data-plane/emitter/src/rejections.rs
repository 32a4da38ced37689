//! Rejections on their way into an event.
//!
//! Invariant: at most one event in [`REJECTED_EVERY`], the first at once; every rejected record is in the number of one.

use nervix_clock::PhysicalInstant;
use nervix_expr::FailureSite;
use nervix_sink::BoundedText;
use nspl_model::record_error::{ErrorCode, Operation};

use crate::event::REJECTED_EVERY;

/// Rejections that were not reported yet.
#[derive(Debug, Default)]
pub(crate) struct Rejections {
    rows: u64,
    /// Code, operation and message of the last.
    latest: Option<(ErrorCode, Operation)>,
    message: String,
    next: Option<PhysicalInstant>,
}

impl Rejections {
    pub(crate) fn add(&mut self, rows: u64, site: &FailureSite, message: &str) {
        self.rows += rows;
        self.latest = Some((site.code, site.operation));
        self.message.clear();
        self.message.push_str(message);
    }

    /// What is to be reported now.
    pub(crate) fn take(&mut self, now: PhysicalInstant) -> Option<BoundedText> {
        if self.next.is_some_and(|next| now < next) {
            return None;
        }
        let (code, operation) = self.latest.take()?;
        self.next = Some(now.after(REJECTED_EVERY));
        let (rows, message) = (std::mem::take(&mut self.rows), &self.message);
        Some(BoundedText::new(format!(
            "{rows} records rejected, the last: {code}, {operation}: {message}"
        )))
    }

    /// When [`Rejections::take`] has something to give, if nothing is added.
    pub(crate) fn due(&self) -> Option<PhysicalInstant> {
        self.next.filter(|_| self.latest.is_some())
    }
}

#[cfg(test)]
mod tests {
    use nervix_clock::ManualClock;
    use nervix_expr::FailureSite;
    use nspl_model::record_error::{ErrorCode, Operation};

    use super::{REJECTED_EVERY, Rejections};

    #[test]
    fn the_first_is_told_at_once_and_the_rest_together() {
        let now = ManualClock::new().physical().now();
        let (code, operation) = (ErrorCode::External, Operation::Publish);
        let site = FailureSite {
            code,
            operation,
            operation_index: None,
            fields: Vec::new(),
        };
        let mut rejections = Rejections::default();
        assert!(rejections.take(now).is_none());
        rejections.add(2, &site, "no");
        let told = rejections.take(now).map(|text| text.to_string());
        assert_eq!(
            told.as_deref(),
            Some("2 records rejected, the last: external, publish: no")
        );
        rejections.add(1, &site, "no");
        rejections.add(3, &site, "never");
        assert!(rejections.take(now).is_none());
        assert_eq!(rejections.due(), Some(now.after(REJECTED_EVERY)));
        let told = rejections
            .take(now.after(REJECTED_EVERY))
            .map(|text| text.to_string());
        assert_eq!(
            told.as_deref(),
            Some("4 records rejected, the last: external, publish: never")
        );
        assert_eq!(rejections.due(), None);
    }
}
