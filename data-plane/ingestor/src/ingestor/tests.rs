//! An ingestor between a queue and relays, on a manual clock and without a source.

use std::{sync::Arc, time::Duration};

use arrow::{
    array::{AsArray, Int64Array, RecordBatch},
    datatypes::Int64Type,
};
use futures::FutureExt;
use nervix_ack::{Fate, Verdict, root};
use nervix_budget::{Budget, Held};
use nervix_clock::ManualClock;
use nervix_relay::{Branches, Consumer, Relay};
use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{
    Assignment, Attachment, BranchDef, Construction, DataType, ErrorRoute, Expr, ExprKind, Field, FieldRef,
    Flush, GeneralPolicy, IngestMode, IngestorDef, MessagePolicy, RelayDef, RouteDef, Schema, Scope,
    SourceKind, Step,
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use super::{Ingestor, IngestorParts, Relays};
use crate::{arrival::Arrival, handle::IngestorHandle, traffic::IngestorTraffic};

/// Batches that may wait before the ingestor.
const QUEUE: usize = 32;

struct Stage {
    clock: ManualClock,
    entry: mpsc::Sender<Arrival>,
    handle: IngestorHandle,
    consumers: Vec<Consumer>,
    budget: Budget,
    traffic: Arc<IngestorTraffic>,
    _task: JoinSet<()>,
}

impl Stage {
    /// An ingestor with one route for each policy, into relays `r0`, `r1`, ... of CAPACITY 1.
    fn set(flushes: &[Flush]) -> Self {
        Self::of(def(flushes))
    }

    /// An ingestor into the relays of its routes, then those of its error routes.
    fn of(def: IngestorDef) -> Self {
        let clock = ManualClock::new();
        let def = Arc::new(def);
        let errors = def
            .routes
            .iter()
            .filter_map(|route| match &route.on_message_error {
                MessagePolicy::SendTo(errors) => Some(&errors.relay),
                MessagePolicy::Ignore | MessagePolicy::Log => None,
            });
        let relays = def.routes.iter().map(|route| &route.relay).chain(errors);
        let relays: Vec<Arc<Relay>> = relays.map(|relay| Relay::new(Arc::clone(relay))).collect();
        let attach = |relay: &Arc<Relay>| relay.attach("c", Attachment::Attached);
        let consumers = relays.iter().map(attach).collect();
        let budget = Budget::new(1 << 28);
        let traffic = Arc::new(IngestorTraffic::default());
        let parts = IngestorParts {
            def,
            title: "ingestor `i` of domain `d`".into(),
            relays: Arc::new(Fixed(relays)),
            clock: clock.domain(),
            budget: budget.clone(),
            traffic: Arc::clone(&traffic),
        };
        let (handle, requests) = IngestorHandle::new();
        let ingestor = Ingestor::compile(parts).unwrap();
        let (entry, mut queue) = mpsc::channel(QUEUE);
        let mut task = JoinSet::new();
        task.spawn(async move { ingestor.run(&mut queue, requests).await });
        Self {
            clock,
            entry,
            handle,
            consumers,
            budget,
            traffic,
            _task: task,
        }
    }

    async fn write(&self, ids: std::ops::Range<i64>) -> oneshot::Receiver<Verdict> {
        let (told, heard) = oneshot::channel();
        let rows = ids.end - ids.start;
        let columns: Vec<Arc<dyn arrow::array::Array>> = vec![Arc::new(Int64Array::from_iter_values(ids))];
        let batch = RecordBatch::try_new(nervix_columns::arrow_schema(&schema()), columns).unwrap();
        let share = root(u32::try_from(rows).unwrap(), move |verdict| {
            drop(told.send(verdict))
        });
        self.entry
            .send(Arrival {
                batch,
                rejected: None,
                share,
                held: Arc::new(Held::nothing()),
                room: Held::nothing(),
            })
            .await
            .unwrap();
        self.clock.settle().await;
        heard
    }

    /// The ids of the next batch in relay `number`, which is settled with `fate`.
    fn take(&mut self, number: usize, fate: Fate) -> Option<Vec<i64>> {
        let batch = self.consumers[number].try_recv()?;
        batch.share.settle(fate);
        Some(
            batch
                .records
                .column(0)
                .as_primitive::<Int64Type>()
                .values()
                .to_vec(),
        )
    }
}

/// The relays of the routes, none of them branched.
#[derive(Debug)]
struct Fixed(Vec<Arc<Relay>>);

impl Relays for Fixed {
    fn relay(&self, def: &Arc<RelayDef>) -> Arc<Relay> {
        let known = self.0.iter().find(|relay| relay.def().name == def.name);
        Arc::clone(known.unwrap())
    }

    fn branches(&self, def: &Arc<BranchDef>) -> Branches {
        panic!("no route is branched by {}", def.name)
    }
}

fn schema() -> Arc<Schema> {
    let id = Field {
        name: "id".into(),
        data_type: DataType::I64,
        optional: false,
        sensitive: false,
    };
    Arc::new(Schema {
        name: "s".into(),
        fields: vec![id],
    })
}

fn def(flushes: &[Flush]) -> IngestorDef {
    let route = |(number, flush): (usize, &Flush)| RouteDef {
        relay: Arc::new(RelayDef {
            name: format!("r{number}"),
            schema: schema(),
            branch: None,
            capacity: 1,
            materialized: false,
        }),
        construction: Construction {
            steps: vec![Step::Inherit { output: 0, input: 0 }],
            filter: None,
        },
        branch_keys: None,
        flush: *flush,
        on_message_error: MessagePolicy::Log,
    };
    IngestorDef {
        domain: "d".into(),
        name: "i".into(),
        source: SourceKind::Client { schema: schema() },
        filter: None,
        mode: IngestMode::Ack,
        routes: flushes.iter().enumerate().map(route).collect(),
        on_general_error: GeneralPolicy::Log,
    }
}

fn each(seconds: u64, max_bytes: u64) -> Flush {
    Flush::Each {
        every: Duration::from_secs(seconds),
        max_bytes,
    }
}

#[tokio::test]
async fn small_batches_leave_together_when_the_first_ones_time_is_over() {
    let mut stage = Stage::set(&[each(10, 1 << 20)]);
    let first = stage.write(0..2).await;
    stage.clock.advance(Duration::from_secs(6)).await;
    let second = stage.write(2..5).await;
    stage.clock.advance(Duration::from_millis(3_999)).await;
    assert_eq!(stage.take(0, Fate::Done), None);
    stage.clock.advance(Duration::from_millis(1)).await;
    assert_eq!(stage.take(0, Fate::Done), Some(vec![0, 1, 2, 3, 4]));
    assert_eq!((first.await.unwrap().done, second.await.unwrap().done), (2, 3));
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn the_size_boundary_does_not_wait() {
    let mut stage = Stage::set(&[each(3600, 100)]);
    let _first = stage.write(0..5).await;
    assert_eq!(stage.take(0, Fate::Done), None);
    let _second = stage.write(5..20).await;
    assert_eq!(stage.take(0, Fate::Done).map(|ids| ids.len()), Some(20));
}

#[tokio::test]
async fn an_immediate_flush_gathers_for_its_window_only() {
    let mut stage = Stage::set(&[Flush::Immediate]);
    let _first = stage.write(0..1).await;
    let _second = stage.write(1..2).await;
    assert_eq!(stage.take(0, Fate::Done), None);
    stage.clock.advance(Duration::from_micros(100)).await;
    assert_eq!(stage.take(0, Fate::Done), Some(vec![0, 1]));
}

#[tokio::test]
async fn a_row_is_done_when_all_routes_are_and_the_worst_fate_counts() {
    let mut stage = Stage::set(&[Flush::Immediate, each(1, 1 << 20)]);
    let mut verdict = stage.write(0..3).await;
    stage.clock.advance(Duration::from_millis(1)).await;
    assert!(stage.take(0, Fate::Done).is_some());
    assert!(verdict.try_recv().is_err(), "the second route has not resolved");
    stage.clock.advance(Duration::from_secs(1)).await;
    assert!(stage.take(1, Fate::Refused).is_some());
    assert_eq!(verdict.await.unwrap().refused, 3);
}

#[tokio::test]
async fn a_full_relay_holds_the_ingestor_up_and_loses_nothing() {
    let mut stage = Stage::set(&[Flush::Immediate]);
    let mut verdicts = Vec::new();
    for number in 0..5 {
        verdicts.push(stage.write(number..number + 1).await);
        stage.clock.advance(Duration::from_millis(1)).await;
    }
    assert!(
        stage.entry.capacity() < QUEUE,
        "the queue stands while the relay is full"
    );
    let mut ids = Vec::new();
    while ids.len() < 5 {
        ids.extend(stage.take(0, Fate::Done).unwrap_or_default());
        stage.clock.advance(Duration::from_millis(1)).await;
    }
    assert_eq!(ids, [0, 1, 2, 3, 4]);
    for verdict in verdicts {
        assert_eq!(verdict.await.unwrap().done, 1);
    }
}

#[tokio::test]
async fn a_drain_empties_buffers_before_their_time() {
    let mut stage = Stage::set(&[each(3600, 1 << 30)]);
    let verdict = stage.write(0..3).await;
    assert!(stage.handle.drain().await);
    assert_eq!(stage.take(0, Fate::Done), Some(vec![0, 1, 2]));
    assert_eq!(verdict.await.unwrap().done, 3);
}

#[tokio::test]
async fn buffers_leave_before_their_time_while_others_wait_for_the_budget() {
    let mut stage = Stage::set(&[each(3600, 1 << 30)]);
    let verdict = stage.write(0..3).await;
    assert_eq!(stage.take(0, Fate::Done), None);
    let _all = stage.budget.charge(stage.budget.limit());
    assert!(stage.budget.admit(1).now_or_never().is_none());
    assert_eq!(stage.take(0, Fate::Done), None, "who waited has gone");
    let mut admit = std::pin::pin!(stage.budget.admit(1));
    assert!(futures::poll!(&mut admit).is_pending());
    stage.clock.settle().await;
    assert_eq!(stage.take(0, Fate::Done), Some(vec![0, 1, 2]));
    assert_eq!(verdict.await.unwrap().done, 3);
}

#[tokio::test]
async fn an_ingestor_gathers_no_more_than_its_share_of_the_budget() {
    let mut stage = Stage::set(&[each(3600, u64::MAX)]);
    let rows = i64::try_from(stage.budget.queue_bytes()).unwrap() / 8;
    let _first = stage.write(0..rows - 1).await;
    assert_eq!(stage.take(0, Fate::Done), None);
    let _second = stage.write(0..1).await;
    let ids = stage.take(0, Fate::Done).unwrap();
    assert_eq!(i64::try_from(ids.len()).unwrap(), rows - 1);
}

#[tokio::test]
async fn many_small_batches_become_few_objects() {
    let mut stage = Stage::set(&[each(3600, 1 << 30)]);
    for number in 0..1000 {
        drop(stage.write(number..number + 1).await);
    }
    assert!(stage.handle.drain().await);
    assert_eq!(stage.take(0, Fate::Done), Some((0..1000).collect()));
    assert_eq!(stage.take(0, Fate::Done), None);
}

#[tokio::test]
async fn another_flush_is_installed_live_and_what_is_buffered_leaves() {
    let mut stage = Stage::set(&[each(3600, 1 << 30)]);
    let verdict = stage.write(0..3).await;
    assert_eq!(stage.take(0, Fate::Done), None);
    stage.handle.set_flush(vec![Flush::Immediate]);
    stage.clock.settle().await;
    assert_eq!(stage.take(0, Fate::Done), Some(vec![0, 1, 2]));
    assert_eq!(verdict.await.unwrap().done, 3);
    let _next = stage.write(3..4).await;
    assert_eq!(stage.take(0, Fate::Done), None);
    stage.clock.advance(Duration::from_micros(100)).await;
    assert_eq!(stage.take(0, Fate::Done), Some(vec![3]));
}

fn field(name: &str, data_type: DataType, optional: bool) -> Field {
    Field {
        name: name.into(),
        data_type,
        optional,
        sensitive: false,
    }
}

/// One route into `id` and so many ARRAYs of so many F64 that nothing sets.
fn unset_arrays(arrays: usize, elements: u32, policy: MessagePolicy) -> IngestorDef {
    let mut def = def(&[Flush::Immediate]);
    let wide = DataType::Array(Box::new(DataType::F64), vec![elements]);
    let mut fields = vec![field("id", DataType::I64, false)];
    fields.extend((0..arrays).map(|number| field(&format!("wide{number}"), wide.clone(), true)));
    let route = &mut def.routes[0];
    let mut relay = (*route.relay).clone();
    relay.schema = Arc::new(Schema {
        name: "wide".into(),
        fields,
    });
    route.relay = Arc::new(relay);
    route.on_message_error = policy;
    def
}

/// `SEND TO errors SET id = input.id, was = <scope>.id`.
fn send_to(was: Scope) -> MessagePolicy {
    let fields = vec![
        field("id", DataType::I64, false),
        field("was", DataType::I64, true),
    ];
    let schema = Schema {
        name: "errors".into(),
        fields,
    };
    let set = [Scope::Input, was].into_iter().enumerate();
    let set = set.map(|(index, scope)| Assignment {
        index,
        expr: Expr {
            data_type: DataType::I64,
            nullable: scope == Scope::PartialOutput,
            sensitive: false,
            kind: ExprKind::Field(FieldRef {
                scope,
                name: "id".into(),
                index: 0,
            }),
        },
    });
    MessagePolicy::SendTo(ErrorRoute {
        relay: Arc::new(RelayDef {
            name: "errors".into(),
            schema: Arc::new(schema),
            branch: None,
            capacity: 1,
            materialized: false,
        }),
        set: set.collect(),
    })
}

/// 8 MiB a value.
const LARGEST_ARRAY: u32 = 1 << 20;

/// So many of [`LARGEST_ARRAY`] are past the bound in one record.
const PAST_THE_BOUND: usize = 129;

#[tokio::test]
async fn a_batch_whose_unset_fields_take_too_much_is_divided_and_loses_nothing() {
    for policy in [MessagePolicy::Log, send_to(Scope::PartialOutput)] {
        let mut stage = Stage::of(unset_arrays(1, LARGEST_ARRAY, policy));
        // 1.6 GiB of nulls.
        let mut verdict = stage.write(0..200).await;
        stage.clock.advance(Duration::from_millis(1)).await;
        let mut ids = Vec::new();
        while let Some(part) = stage.take(0, Fate::Done) {
            ids.extend(part);
            stage.clock.advance(Duration::from_millis(1)).await;
        }
        assert_eq!(ids, (0..200).collect::<Vec<i64>>());
        assert_eq!(verdict.try_recv().unwrap().done, 200);
        assert_eq!(stage.traffic.rejected(), Vec::new());
        assert_eq!(stage.budget.used(), 0);
    }
}

#[tokio::test]
async fn a_record_whose_unset_fields_take_too_much_alone_follows_the_error_policy_and_is_counted() {
    let counted = vec![(ErrorCode::Validation, Operation::Construct, 3)];
    for policy in [MessagePolicy::Ignore, MessagePolicy::Log] {
        let stage = Stage::of(unset_arrays(PAST_THE_BOUND, LARGEST_ARRAY, policy));
        let verdict = stage.write(0..3).await.await.unwrap();
        assert_eq!((verdict.done, verdict.refused), (3, 0));
        assert_eq!(stage.traffic.rejected(), counted);
    }
    let mut stage = Stage::of(unset_arrays(PAST_THE_BOUND, LARGEST_ARRAY, send_to(Scope::Input)));
    let mut verdict = stage.write(0..3).await;
    let mut ids = Vec::new();
    stage.clock.advance(Duration::from_millis(1)).await;
    while let Some(part) = stage.take(1, Fate::Done) {
        ids.extend(part);
        stage.clock.advance(Duration::from_millis(1)).await;
    }
    assert_eq!(ids, [0, 1, 2], "error records");
    assert_eq!(verdict.try_recv().unwrap().done, 3);
    assert_eq!(stage.traffic.rejected(), counted);
}

#[tokio::test]
async fn records_whose_partial_output_takes_too_much_alone_are_refused_and_counted() {
    let policy = send_to(Scope::PartialOutput);
    let stage = Stage::of(unset_arrays(PAST_THE_BOUND, LARGEST_ARRAY, policy));
    let verdict = stage.write(0..3).await.await.unwrap();
    assert_eq!((verdict.done, verdict.refused), (0, 3));
    let counted = vec![(ErrorCode::Validation, Operation::Construct, 3)];
    assert_eq!(stage.traffic.rejected(), counted);
}

#[tokio::test]
async fn what_a_route_builds_is_counted_until_its_relay_is_done_with_it() {
    let mut stage = Stage::of(unset_arrays(1, 1 << 17, MessagePolicy::Log));
    let verdict = stage.write(0..3).await;
    stage.clock.advance(Duration::from_millis(1)).await;
    let held = stage.budget.used();
    assert!(held >= 3 << 20, "{held} bytes for three arrays of 1 MiB");
    assert_eq!(stage.take(0, Fate::Done), Some(vec![0, 1, 2]));
    assert_eq!(verdict.await.unwrap().done, 3);
    assert_eq!(stage.budget.used(), 0);
}
