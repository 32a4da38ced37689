//! How a claim becomes larger.

use futures::FutureExt;
use nervix_budget::Budget;
use nervix_clock::PhysicalClock;

use super::{Admission, MessageLimit};

#[tokio::test]
async fn room_that_was_waited_for_goes_to_nobody_else() {
    let budget = Budget::new(100);
    let admission = Admission::new(budget.clone(), PhysicalClock::system(), MessageLimit::new(100));
    let _turn = admission.unpacking.try_admit(1).unwrap();
    let claim = budget.try_admit(40).unwrap();
    let others = budget.try_admit(50).unwrap();
    let mut enlarging = Box::pin(admission.enlarge(claim, 50));
    assert!(enlarging.as_mut().now_or_never().is_none());
    let mut next = Box::pin(budget.admit(20));
    assert!(next.as_mut().now_or_never().is_none());
    drop(others);
    let enlarged = enlarging.as_mut().now_or_never().unwrap();
    assert_eq!((enlarged.bytes(), budget.used()), (90, 90));
    assert!(next.as_mut().now_or_never().is_none());
}

#[tokio::test]
async fn what_unpacks_to_more_than_there_ever_is_room_for_goes_past_one_at_a_time() {
    let budget = Budget::new(100);
    let admission = Admission::new(budget.clone(), PhysicalClock::system(), MessageLimit::new(100));
    let kept = budget.charge(1);
    let first = admission.enlarge(budget.charge(0), 1_000).now_or_never().unwrap();
    let mut second = Box::pin(admission.enlarge(budget.charge(0), 1_000));
    assert!(second.as_mut().now_or_never().is_none());
    assert_eq!(budget.used(), 1_001);
    drop(first);
    assert!(second.as_mut().now_or_never().is_some());
    drop(kept);
}
