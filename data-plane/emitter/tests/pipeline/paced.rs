//! A paced domain: COLLECT, FLUSH EACH, TTL and timestamps run at TIME RATE, everything else on the physical clock
//! (companion section 10).

use std::time::Duration;

use nervix_clock::DomainTime;
use nspl_model::{Collect, Flush, Literal, Resolution};

use crate::model::{ACK_TIMEOUT, BACKOFF, adding_states, branch_def, dependency};
use crate::stage::{ack, delivery, ids, is_quiet, paced_stage};

/// 2020-01-01T00:00:00Z.
const START: DomainTime = DomainTime(1_577_836_800_000_000_000);
const RATE: f64 = 60.0;
const MINUTE: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn collect_and_flush_run_at_time_rate() {
    let stage = paced_stage(START, RATE, |def| {
        def.collect = Some(Collect {
            each: MINUTE,
            max_bytes: None,
        });
        def.flush = Flush::Each {
            every: MINUTE * 2,
            max_bytes: 1_000_000,
        };
    });
    let consumer = stage.consumer(8);
    stage.write_to(0, &[1], "ann").await;
    stage.clock.advance(SECOND * 3 - Duration::from_millis(1)).await;
    assert!(
        is_quiet(&consumer).await,
        "three minutes of the domain are three seconds"
    );
    stage.clock.advance(Duration::from_millis(2)).await;
    assert_eq!(ids(&delivery(&consumer).await), [1]);
}

#[tokio::test]
async fn the_window_of_flush_immediate_ack_timeout_and_backoff_are_physical() {
    let stage = paced_stage(START, RATE, |_| {});
    let consumer = stage.consumer(8);
    stage.write_to(0, &[1], "ann").await;
    stage.clock.advance(Duration::from_micros(99)).await;
    assert!(is_quiet(&consumer).await);
    stage.clock.advance(Duration::from_micros(1)).await;
    let first = delivery(&consumer).await;
    stage.clock.advance(ACK_TIMEOUT - SECOND).await;
    assert_eq!(
        stage.exchange.status().assigned_batches,
        1,
        "not after half a second"
    );
    consumer
        .retry(std::slice::from_ref(&first.reference))
        .await
        .unwrap();
    stage.clock.settle().await;
    stage.clock.advance(BACKOFF - Duration::from_millis(1)).await;
    assert_eq!(stage.exchange.status().assigned_batches, 0);
    stage.clock.advance(Duration::from_millis(1)).await;
    assert_eq!(delivery(&consumer).await.attempt, 2);
}

#[tokio::test]
async fn states_have_the_time_of_the_domain_and_ttl_runs_at_its_rate() {
    let stage = paced_stage(START, RATE, |def| {
        def.dependencies = vec![dependency("latest", Some(branch_def()), Resolution::Wait)];
        def.construction = adding_states(&["latest"]);
    });
    let consumer = stage.consumer(8);
    stage.clock.advance(SECOND).await;
    stage.write_state(0, 100, "ann").await;
    stage.write_to(0, &[1], "ann").await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(ids(&next), [101]);
    ack(&consumer, &next).await;
    let state = stage.states[0].materialized().unwrap();
    let latest = {
        let branch = stage.branch("ann").await;
        state.known(Some(&branch)).unwrap()
    };
    assert_eq!(latest.timestamp(), DomainTime(START.0 + 60_000_000_000));
    drop(latest);
    stage.settled_states().await;
    stage.clock.advance(SECOND + Duration::from_millis(1)).await;
    assert_eq!(stage.branches.expire(), 1, "a TTL of a minute is a second");
    assert_eq!(state.size().rows, 0);
}

#[tokio::test]
async fn a_restarted_run_goes_on_where_the_domain_is_and_its_states_are_older() {
    let mut stage = paced_stage(START, RATE, |def| {
        def.dependencies = vec![dependency(
            "latest",
            Some(branch_def()),
            Resolution::Default(vec![Literal::I64(7_000), Literal::String("none".to_owned())]),
        )];
        def.construction = adding_states(&["latest"]);
    });
    stage.write_state(0, 100, "ann").await;
    let before = stage.domain.now();
    stage.handle.stop(nervix_sink::RevokeReason::Changed).await;
    stage.clock.advance(Duration::from_millis(500)).await;
    stage.restart();
    assert_eq!(stage.domain.now(), DomainTime(before.0 + 30_000_000_000));
    let consumer = stage.consumer(8);
    stage.write_to(0, &[1], "ann").await;
    stage.write_state(0, 200, "ann").await;
    stage.write_to(0, &[2], "ann").await;
    stage.flow().await;
    assert_eq!(ids(&delivery(&consumer).await), [101, 202]);
}
