//! What a final status means for the record of its request (`emitters.txt`, "HTTP requests").

use nervix_clock::PhysicalClock;
use nervix_sink::{Failure, FailureKind, Outcome, Rejection};

use crate::fault::AttemptFault;
use crate::head::FinalHead;
use crate::retry_after::asked_delay;

/// The outcome of a request that was answered with `head` just now.
pub(crate) fn answer(head: &FinalHead, clock: &PhysicalClock) -> Outcome {
    let status = head.status;
    let failure = match status {
        200..=299 => return Outcome::DELIVERED,
        401 | 403 | 407 => Failure::new(
            FailureKind::Unauthorized,
            format!("HTTP endpoint answered with authentication or authorization status {status}"),
        ),
        408 | 425 | 429 | 500..=599 => Failure::new(
            retryable_kind(status),
            format!("HTTP endpoint answered with retryable status {status}"),
        ),
        101 | 300..=499 => {
            return Outcome::Rejected(Rejection::new(format!(
                "HTTP endpoint answered with status {status}"
            )));
        }
        // No final status: nobody knows.
        _ => AttemptFault::Malformed("the status is not a final one").failure(),
    };
    let asked = head.retry_after.as_deref();
    Outcome::Unresolved(Failure {
        retry_after: asked.and_then(|value| asked_delay(value, clock)),
        ..failure
    })
}

fn retryable_kind(status: u16) -> FailureKind {
    match status {
        429 => FailureKind::Throttled,
        _ => FailureKind::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nervix_clock::ManualClock;
    use nervix_sink::{FailureKind, Outcome};

    use super::answer;
    use crate::head::FinalHead;

    fn outcome(status: u16) -> Outcome {
        let head = FinalHead {
            status,
            retry_after: Some(b"7".to_vec()),
        };
        answer(&head, &ManualClock::new().physical())
    }

    #[test]
    fn every_status_has_its_outcome() {
        for status in 0..=999 {
            let outcome = outcome(status);
            match status {
                200..=299 => assert_eq!(outcome, Outcome::DELIVERED, "{status}"),
                101 | 300..=400 | 402 | 404..=406 | 409..=424 | 426..=428 | 430..=499 => {
                    let Outcome::Rejected(rejection) = outcome else {
                        panic!("{status}: {outcome:?}");
                    };
                    let message = rejection.message.as_str().to_owned();
                    assert_eq!(message, format!("HTTP endpoint answered with status {status}"));
                }
                _ => {
                    let Outcome::Unresolved(failure) = outcome else {
                        panic!("{status}: {outcome:?}");
                    };
                    let kind = match status {
                        401 | 403 | 407 => FailureKind::Unauthorized,
                        429 => FailureKind::Throttled,
                        _ => FailureKind::Unavailable,
                    };
                    assert_eq!(failure.kind, kind, "{status}");
                    assert_eq!(failure.retry_after, Some(Duration::from_secs(7)), "{status}");
                }
            }
        }
    }

    #[test]
    fn a_failure_names_its_status_and_its_class() {
        let told = [
            (503, "HTTP endpoint answered with retryable status 503"),
            (
                401,
                "HTTP endpoint answered with authentication or authorization status 401",
            ),
        ];
        for (status, message) in told {
            let Outcome::Unresolved(failure) = outcome(status) else {
                panic!("{status} is retried");
            };
            assert_eq!(failure.message.as_str(), message);
        }
    }
}
