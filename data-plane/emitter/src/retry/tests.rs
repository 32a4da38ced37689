use std::time::Duration;

use nspl_model::RetryPolicy;
use proptest::prelude::{any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::{ASKED_DELAY_MAX, Retry};

fn policy(backoff_ms: u64, max_ms: u64) -> RetryPolicy {
    RetryPolicy {
        backoff: Duration::from_millis(backoff_ms),
        max: Duration::from_millis(max_ms),
    }
}

#[test]
fn delays_double_from_backoff_and_cap_at_max() {
    let mut retry = Retry::new(policy(250, 1_500));
    let waits: Vec<u128> = (0..5).map(|_| retry.after_failure(None).as_millis()).collect();
    assert_eq!(waits, [250, 500, 1_000, 1_500, 1_500]);
}

#[test]
fn what_the_destination_asks_for_extends_one_delay_even_beyond_max() {
    let mut retry = Retry::new(policy(100, 200));
    assert_eq!(
        retry.after_failure(Some(Duration::from_secs(9))),
        Duration::from_secs(9)
    );
    assert_eq!(
        retry.after_failure(Some(Duration::from_millis(1))),
        Duration::from_millis(200)
    );
    assert_eq!(
        retry.after_failure(Some(ASKED_DELAY_MAX * 2)),
        Duration::from_millis(200)
    );
}

proptest! {
    #[test]
    fn delays_never_shrink_and_never_pass_the_cap(
        backoff in 1_u64..10_000,
        more in 0_u64..1_000_000,
        failures in prop::collection::vec(any::<()>(), 1..80),
    ) {
        let policy = policy(backoff, backoff + more);
        let mut retry = Retry::new(policy);
        let mut last = Duration::ZERO;
        for (index, ()) in failures.into_iter().enumerate() {
            let wait = retry.after_failure(None);
            prop_assert!(wait >= last && wait <= policy.max);
            if index == 0 {
                prop_assert_eq!(wait, policy.backoff);
            }
            last = wait;
        }
    }
}
