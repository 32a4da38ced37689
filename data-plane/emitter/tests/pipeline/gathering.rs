//! COLLECT and FLUSH against a reference model (`emitters.txt`, Branch Semantics; companion sections 10 and 11): what leaves
//! together, and when, whatever is written when, kicks included, in unpaced and in paced domains.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::FutureExt;
use nervix_clock::{DomainTime, PhysicalInstant};
use nervix_sink_client::{ConsumerSession, SessionEvent};
use nspl_model::{Collect, Flush, Window};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop, prop_oneof};
use proptest::{prop_assert_eq, proptest};

use crate::model::{branch_def, mode, order_schema, relay_def};
use crate::stage::{Stage, ids, stage_at};

mod reference;

use reference::{Item, Policy, Reference};

/// 2020-01-01T00:00:00Z.
const START: DomainTime = DomainTime(1_577_836_800_000_000_000);
const MILLISECOND: u64 = 1_000_000;
const MICROSECOND: u64 = 1_000;
/// What each write comes later than a whole millisecond, so that no two boundaries fall on one instant: then nothing but
/// the rules decides what leaves first.
const STAGGER: u64 = MICROSECOND;
/// What the boundaries of COLLECT and FLUSH come later than a whole millisecond; more than all staggers together.
const COLLECT_SKEW: u64 = 120 * MICROSECOND;
const FLUSH_SKEW: u64 = 250 * MICROSECOND;
/// Sources, of which the last is unbranched, and the keys of the others.
const SOURCES: usize = 3;
const KEYS: [&str; 3] = ["a", "bob", "christopher"];
/// Payloads that may await confirmation: never what holds anything back here.
const WINDOW: u32 = 10_000;

/// One step of a script.
#[derive(Debug, Clone)]
enum Step {
    /// So many milliseconds later, rows of a source and a key.
    Write {
        later_ms: u64,
        source: usize,
        key: usize,
        rows: usize,
    },
    /// So many milliseconds later, a kick.
    Kick { later_ms: u64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = (0_u64..12, 0..SOURCES, 0..KEYS.len(), 1_usize..7);
    let write = write.prop_map(|(later_ms, source, key, rows)| Step::Write {
        later_ms,
        source,
        key,
        rows,
    });
    let kick = (0_u64..12).prop_map(|later_ms| Step::Kick { later_ms });
    vec(prop_oneof![8 => write, 1 => kick], 1..40)
}

/// Boundaries of COLLECT and FLUSH in milliseconds and bytes; FLUSH IMMEDIATE where there is none.
type Boundaries = (Option<(u64, Option<u64>)>, Option<(u64, u64)>);

fn boundaries() -> impl Strategy<Value = Boundaries> {
    let collect = prop::option::of((1_u64..25, prop::option::of(1_u64..500)));
    (collect, prop::option::of((1_u64..25, 1_u64..900)))
}

/// Emitter, application and clock of one script.
struct Script {
    stage: Stage,
    application: ConsumerSession,
    began: PhysicalInstant,
    /// What came, by its moment in whole microseconds and its source and branch: durations of a paced domain may round up
    /// by one nanosecond, and what leaves at one moment is packed together.
    came: BTreeMap<(u64, String), Vec<i64>>,
}

impl Script {
    fn new((collect, flush): Boundaries, rate: u32) -> Self {
        let domain = |ms: u64, skew: u64| Duration::from_nanos((ms * MILLISECOND + skew) * u64::from(rate));
        let branch = Some(branch_def());
        let sources = [
            relay_def("orders", order_schema(), branch.clone(), 64),
            relay_def("replays", order_schema(), branch, 64),
            relay_def("others", order_schema(), None, 64),
        ];
        let stage = stage_at(START, f64::from(rate), &sources, |def| {
            def.collect = collect.map(|(each, max_bytes)| Collect {
                each: domain(each, COLLECT_SKEW),
                max_bytes,
            });
            def.flush = flush.map_or(Flush::Immediate, |(every, max_bytes)| Flush::Each {
                every: domain(every, FLUSH_SKEW),
                max_bytes,
            });
            def.mode = mode(Window::Parallel(WINDOW));
        });
        Self {
            application: stage.consumer(WINDOW),
            began: stage.clock.physical().now(),
            stage,
            came: BTreeMap::new(),
        }
    }

    fn now(&self) -> u64 {
        let passed = self.stage.clock.physical().now().since(self.began);
        u64::try_from(passed.as_micros()).unwrap()
    }

    /// Goes on to a moment, stopping wherever something is due.
    async fn until(&mut self, moment: u64) {
        let end = self.began.after(Duration::from_nanos(moment));
        self.take().await;
        while let Some(due) = self.stage.clock.next_deadline().filter(|due| *due <= end) {
            let now = self.stage.clock.physical().now();
            self.stage.clock.advance(due.since(now)).await;
            self.take().await;
        }
        let now = self.stage.clock.physical().now();
        self.stage.clock.advance(end.since(now)).await;
        self.take().await;
    }

    /// Takes and acknowledges what has come.
    async fn take(&mut self) {
        let now = self.now();
        while let Some(event) = self.application.recv().now_or_never() {
            let SessionEvent::Deliver(delivery) = event.expect("the stream is open") else {
                continue;
            };
            let lane = format!("{} {}", delivery.source, delivery.branch);
            self.came.entry((now, lane)).or_default().extend(ids(&delivery));
            let reference = std::slice::from_ref(&delivery.reference);
            self.application.ack(reference).await.unwrap();
            self.stage.clock.settle().await;
        }
    }
}

/// Plays a script on both and gives what left of each.
async fn play(boundaries: Boundaries, rate: u32, steps: &[Step]) -> [Vec<(u64, Vec<i64>)>; 2] {
    let (collect, flush) = boundaries;
    let mut script = Script::new(boundaries, rate);
    let mut reference = Reference::new(
        collect.map(|(each, bytes_max)| Policy {
            each: each * MILLISECOND + COLLECT_SKEW,
            bytes_max,
        }),
        flush.map_or(Policy::IMMEDIATE, |(every, bytes_max)| Policy {
            each: every * MILLISECOND + FLUSH_SKEW,
            bytes_max: Some(bytes_max),
        }),
    );
    let (mut whole, mut next) = (0, 0_i64);
    for (number, step) in steps.iter().enumerate() {
        let (Step::Write { later_ms, .. } | Step::Kick { later_ms }) = step;
        whole += later_ms * MILLISECOND;
        let now = whole + number as u64 * STAGGER;
        script.until(now).await;
        reference.until(now);
        match step {
            Step::Kick { .. } => {
                script.stage.handle.kick().await;
                script.stage.clock.settle().await;
                reference.kick(now);
            }
            Step::Write {
                source, key, rows, ..
            } => {
                let written: Vec<i64> = (next..next + *rows as i64).collect();
                next += *rows as i64;
                script.stage.write_to(*source, &written, KEYS[*key]).await;
                // What is unbranched is one gathering whatever its rows say.
                let branch = (*source < SOURCES - 1).then_some(*key);
                reference.write(now, Item::new((*source, branch), written, KEYS[*key]));
            }
        }
        script.take().await;
    }
    let end = whole + 1_000 * MILLISECOND;
    script.until(end).await;
    reference.until(end);
    let wanted = reference
        .left
        .into_iter()
        .map(|((at, _), ids)| (at / MICROSECOND, ids));
    let came = script.came.into_iter().map(|((at, _), ids)| (at, ids));
    let mut left = [came.collect::<Vec<_>>(), wanted.collect()];
    left.iter_mut().for_each(|payloads| payloads.sort());
    left
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn rows_leave_together_and_when_the_reference_says(
        boundaries in boundaries(),
        paced in any::<bool>(),
        steps in steps(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let rate = if paced { 60 } else { 1 };
        let [came, wanted] = runtime.block_on(play(boundaries, rate, &steps));
        prop_assert_eq!(came, wanted);
    }
}
