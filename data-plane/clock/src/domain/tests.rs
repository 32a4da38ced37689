use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::proptest;

use crate::{DomainClock, DomainTime, ManualClock, PhysicalClock, TimeRate, UtcTime};

const SECOND: Duration = Duration::from_secs(1);
const SECOND_NS: i64 = 1_000_000_000;

fn rate(rate: f64) -> TimeRate {
    TimeRate::new(rate).unwrap()
}

#[test]
fn a_rate_is_a_positive_finite_number() {
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(TimeRate::new(wrong), None);
    }
    assert_eq!(TimeRate::new(1.0), Some(TimeRate::ONE));
}

#[tokio::test]
async fn unpaced_domain_time_is_the_wall_clock_and_stands_while_that_steps_back() {
    let clock = ManualClock::at(UtcTime(100 * SECOND_NS));
    let domain = clock.domain();
    assert_eq!(domain.now(), DomainTime(100 * SECOND_NS));
    clock.set_utc(UtcTime(90 * SECOND_NS));
    assert_eq!(domain.now(), DomainTime(100 * SECOND_NS));
    assert_eq!(
        clock.domain().now(),
        DomainTime(100 * SECOND_NS),
        "nor for a clock made anew"
    );
    clock.advance(11 * SECOND).await;
    assert_eq!(domain.now(), DomainTime(101 * SECOND_NS));
}

#[tokio::test]
async fn an_unpaced_deadline_does_not_move_with_the_wall_clock() {
    let clock = ManualClock::new();
    let domain = clock.domain();
    let deadline = domain.deadline_after(10 * SECOND);
    clock.set_utc(UtcTime(i64::MAX / 2));
    assert!(!domain.reached(deadline));
    clock.advance(10 * SECOND).await;
    assert!(domain.reached(deadline));
}

#[tokio::test]
async fn paced_time_runs_from_start_at_its_rate_and_so_do_durations() {
    let clock = ManualClock::new();
    let domain = clock.paced(DomainTime(5 * SECOND_NS), rate(60.0));
    let deadline = domain.deadline_after(60 * SECOND);
    clock.advance(SECOND / 2).await;
    assert_eq!(domain.now(), DomainTime(35 * SECOND_NS));
    assert!(!domain.reached(deadline));
    clock.advance(SECOND / 2).await;
    assert_eq!(domain.now(), DomainTime(65 * SECOND_NS));
    assert!(domain.reached(deadline));
}

#[tokio::test]
async fn a_deadline_between_two_instants_of_the_physical_clock_has_come_at_the_later_one() {
    let clock = ManualClock::new();
    let domain = clock.paced(DomainTime(0), rate(3.0));
    let (deadline, tick) = (
        domain.deadline_after(Duration::from_nanos(10)),
        Duration::from_nanos(1),
    );
    clock.advance(tick * 3).await;
    assert_eq!(domain.now(), DomainTime(9));
    assert!(!domain.reached(deadline), "9 ns are not 10");
    clock.advance(tick).await;
    assert!(domain.reached(deadline));
}

#[tokio::test]
async fn a_process_that_joins_later_goes_on_where_the_domain_is() {
    let clock = ManualClock::at(UtcTime(1_000 * SECOND_NS));
    let since = UtcTime(990 * SECOND_NS);
    let domain = DomainClock::paced(clock.physical(), DomainTime(0), since, rate(2.0));
    assert_eq!(domain.now(), DomainTime(20 * SECOND_NS));
    let ahead = UtcTime(1_003 * SECOND_NS);
    let waiting = DomainClock::paced(clock.physical(), DomainTime(7), ahead, rate(2.0));
    clock.advance(3 * SECOND).await;
    assert_eq!(waiting.now(), DomainTime(7), "before its start it stands");
    clock.advance(SECOND).await;
    assert_eq!(waiting.now(), DomainTime(7 + 2 * SECOND_NS));
}

#[test]
fn snapshots_of_one_moment_differ_in_their_seeds_and_do_not_show_them() {
    let domain = DomainClock::unpaced(PhysicalClock::system());
    let (first, second) = (domain.snapshot(), domain.snapshot());
    assert_ne!(first.seed, second.seed);
    assert!(first.domain_time <= second.domain_time);
    assert!(!format!("{first:?}").contains("seed"));
}

#[test]
fn snapshots_of_a_manual_clock_are_the_same_every_time() {
    assert_eq!(
        ManualClock::new().domain().snapshot(),
        ManualClock::new().domain().snapshot()
    );
}

proptest! {
    #[test]
    fn domain_time_never_goes_back_and_deadlines_never_come_early(
        steps in vec((any::<bool>(), 0_u64..5_000_000_000, -5_000_000_000_i64..5_000_000_000), 1..40),
        pace in 0.001_f64..1_000.0,
        paced in any::<bool>(),
        wait in 0_u64..10_000_000_000,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let clock = ManualClock::new();
            let domain = if paced { clock.paced(DomainTime(0), rate(pace)) } else { clock.domain() };
            let wait = Duration::from_nanos(wait);
            let begun = domain.now();
            let deadline = domain.deadline_after(wait);
            let mut latest = begun;
            for (step_wall, forward, wall) in steps {
                if step_wall {
                    clock.set_utc(UtcTime(clock.physical().utc().0 + wall));
                } else {
                    clock.advance(Duration::from_nanos(forward)).await;
                }
                let now = domain.now();
                assert!(now >= latest);
                latest = now;
                if paced && domain.reached(deadline) {
                    // One nanosecond for the rounding of the rate.
                    assert!(now.0 - begun.0 + 1 >= wait.as_nanos() as i64);
                }
            }
        });
    }
}
