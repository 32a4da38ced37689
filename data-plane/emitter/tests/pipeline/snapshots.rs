//! The execution snapshot (`emitters.txt`, Branch Semantics): what is retained is never evaluated again, and now() is the time
//! of the domain when the batch entered its relay, for whatever asks.

use arrow::array::AsArray;
use nervix_clock::DomainTime;
use nervix_sink::{Failure, FailureKind, Outcome, Rejection, RowAnswer};
use nervix_sink_client::Delivery;
use nervix_sink_testkit::Deed;
use nspl_model::{
    Assignment, BatchLimits, BinaryOp, CastError, Collect, Construction, DataType, Expr, ExprKind, Function,
    HeaderWrite, MessagePolicy, Schema, SinkDef, Step, Window,
};

use crate::model::{
    ACK_TIMEOUT, BACKOFF, binary, branch_def, failure_schema, input, mode, order_schema, positive, relay_def,
    send_to, text,
};
use crate::outside::{STAMPING, ids_of, to_http, to_kafka, to_postgres, with_codec};
use crate::stage::{ack, branched_stage, decode, delivery, failures_def, paced_stage, stage};
use crate::unset::{into, with_arrays};

/// 2020-01-01T00:00:00Z.
const START: DomainTime = DomainTime(1_577_836_800_000_000_000);
const RATE: f64 = 60.0;

/// A minute of the domain after its start.
const ADMITTED: &str = "2020-01-01T00:01:00Z";
const ADMITTED_NS: i64 = START.0 + 60_000_000_000;

fn call(function: Function, args: Vec<Expr>, data_type: DataType) -> Expr {
    let kind = ExprKind::Call {
        function,
        args,
        site: 1,
    };
    Expr {
        data_type,
        nullable: false,
        sensitive: false,
        kind,
    }
}

/// `INHERIT id SET name = <expr>`.
fn naming(expr: Expr) -> Construction {
    Construction {
        steps: vec![
            Step::Inherit { output: 0, input: 0 },
            Step::Set(Assignment { index: 1, expr }),
        ],
        filter: None,
    }
}

/// `now() AS STRING`.
fn now_as_text() -> Expr {
    let kind = ExprKind::Cast {
        operand: Box::new(call(Function::Now, Vec::new(), DataType::DateTime)),
        on_error: CastError::Fail,
    };
    Expr {
        data_type: DataType::String,
        nullable: false,
        sensitive: false,
        kind,
    }
}

fn names(schema: &Schema, delivery: &Delivery) -> Vec<String> {
    let records = decode(schema, delivery);
    let names = records.column(1).as_string::<i32>();
    names.iter().map(|name| name.unwrap().to_owned()).collect()
}

#[tokio::test]
async fn uuid_v4_of_a_record_stays_over_a_retry_a_timeout_and_a_lost_consumer() {
    let stage = stage(|def| def.construction = naming(call(Function::UuidV4, Vec::new(), DataType::String)));
    let consumer = stage.consumer(8);
    stage.write(&[1, 2]).await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    let drawn = names(&order_schema(), &first);
    assert_ne!(drawn[0], drawn[1], "each row has its own");
    consumer
        .retry(std::slice::from_ref(&first.reference))
        .await
        .unwrap();
    stage.clock.settle().await;
    stage.clock.advance(BACKOFF).await;
    let second = delivery(&consumer).await;
    stage.clock.advance(ACK_TIMEOUT).await;
    // Whoever let the time pass is offered nothing until it speaks.
    consumer.hello();
    stage.clock.advance(BACKOFF * 2).await;
    let third = delivery(&consumer).await;
    drop(consumer);
    stage.clock.settle().await;
    let other = stage.consumer(8);
    stage.clock.advance(BACKOFF * 4).await;
    let fourth = delivery(&other).await;
    for (again, attempt) in [(&second, 2), (&third, 3), (&fourth, 4)] {
        assert_eq!(
            (names(&order_schema(), again), again.attempt),
            (drawn.clone(), attempt)
        );
        assert_eq!(again.payload.body, first.payload.body);
    }
    ack(&other, &fourth).await;
    stage.write(&[3, 4]).await;
    stage.flow().await;
    let next = delivery(&other).await;
    assert!(
        names(&order_schema(), &next)
            .iter()
            .all(|name| !drawn.contains(name)),
        "another batch has a snapshot of its own"
    );
}

#[tokio::test]
async fn now_is_the_time_of_the_domain_at_admission_whenever_the_record_leaves() {
    let stage = paced_stage(START, RATE, |def| {
        def.construction = naming(now_as_text());
        def.mode = mode(Window::Parallel(2));
    });
    let consumer = stage.consumer(1);
    stage.clock.advance(std::time::Duration::from_secs(1)).await;
    stage.write_to(0, &[1], "ann").await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    assert_eq!(
        names(&order_schema(), &first),
        ["2020-01-01T00:01:00Z"],
        "a second is a minute"
    );
    // It is constructed now and leaves an hour of the domain later.
    stage.write_to(0, &[2], "ann").await;
    stage.flow().await;
    consumer
        .retry(std::slice::from_ref(&first.reference))
        .await
        .unwrap();
    stage.clock.advance(std::time::Duration::from_secs(60)).await;
    consumer.grant(2);
    let mut both = [delivery(&consumer).await, delivery(&consumer).await];
    both.sort_by_key(|delivery| std::cmp::Reverse(delivery.attempt));
    let [again, second] = both;
    assert_eq!(names(&order_schema(), &again), ["2020-01-01T00:01:00Z"]);
    assert_eq!(
        names(&order_schema(), &second),
        ["2020-01-01T00:01:00.006Z"],
        "100 us are 6 ms"
    );
}

#[tokio::test]
async fn now_is_the_time_of_each_batch_however_long_it_is_collected() {
    let stage = paced_stage(START, RATE, |def| {
        def.construction = naming(now_as_text());
        def.collect = Some(Collect {
            each: std::time::Duration::from_secs(60),
            max_bytes: None,
        });
    });
    let consumer = stage.consumer(1);
    let half = std::time::Duration::from_millis(500);
    stage.clock.advance(half * 2).await;
    stage.write_to(0, &[1], "ann").await;
    stage.clock.advance(half).await;
    stage.write_to(0, &[2], "ann").await;
    stage.clock.advance(half).await;
    stage.flow().await;
    let both = names(&order_schema(), &delivery(&consumer).await);
    assert_eq!(both, [ADMITTED, "2020-01-01T00:01:30Z"]);
}

/// Rows of which the first and the one in the middle are positive, and more than may be built at once.
fn of_two_halves() -> Vec<i64> {
    let mut ids = vec![0; 140];
    (ids[0], ids[70]) = (1, 2);
    ids
}

#[tokio::test]
async fn a_batch_that_lay_in_its_relay_and_is_divided_keeps_its_time_and_each_part_has_values_of_its_own() {
    let schema = with_arrays(1, 8);
    let stage = paced_stage(START, RATE, |def| {
        into(def, &schema);
        let random = call(Function::UuidV4, Vec::new(), DataType::String);
        let both = vec![now_as_text(), text(" "), random];
        def.construction = naming(call(Function::Concat, both, DataType::String));
        def.construction.filter = Some(positive());
        def.mode = mode(Window::Parallel(2));
    });
    let consumer = stage.consumer(8);
    let second = std::time::Duration::from_secs(1);
    stage.clock.advance(second).await;
    let (batch, _written) = stage.batch(0, &of_two_halves(), "ann").await;
    stage.clock.advance(second).await;
    stage.sources[0].publish(batch).await.expect("it is open");
    stage.clock.settle().await;
    stage.flow().await;
    let mut told = names(&schema, &delivery(&consumer).await);
    if told.len() == 1 {
        told.extend(names(&schema, &delivery(&consumer).await));
    }
    let drawn: Vec<&str> = told
        .iter()
        .map(|told| told.strip_prefix(ADMITTED).expect("its time"))
        .collect();
    assert_eq!(drawn.len(), 2);
    assert_ne!(drawn[0], drawn[1]);
}

#[tokio::test]
async fn branches_of_one_write_draw_values_of_their_own() {
    let random = call(Function::UuidV4, Vec::new(), DataType::String);
    let stage = branched_stage(|def| def.construction = naming(random));
    let consumer = stage.consumer(8);
    let (ann, _of_ann) = stage.batch(0, &[1], "ann").await;
    let (mut bob, _of_bob) = stage.batch(0, &[2], "bob").await;
    bob.snapshot = ann.snapshot.clone();
    for batch in [ann, bob] {
        stage.sources[0].publish(batch).await.expect("it is open");
    }
    stage.clock.settle().await;
    stage.flow().await;
    let (one, other) = (delivery(&consumer).await, delivery(&consumer).await);
    assert_ne!(names(&order_schema(), &one), names(&order_schema(), &other));
}

#[tokio::test]
async fn an_error_record_draws_values_of_its_own() {
    let random = || call(Function::UuidV4, Vec::new(), DataType::String);
    let stage = stage(|def| {
        def.construction = naming(random());
        let mut policy = send_to(failures_def(64), input("id", 0, DataType::I64));
        if let MessagePolicy::SendTo(route) = &mut policy {
            route.set[0].expr = random();
        }
        def.on_message_error = policy;
    });
    let (consumer, mut failures) = (stage.consumer(8), stage.failures_consumer());
    stage.write(&[1]).await;
    stage.flow().await;
    let rejected = delivery(&consumer).await;
    let drawn = names(&order_schema(), &rejected);
    let reference = std::slice::from_ref(&rejected.reference);
    consumer.reject(reference, "bad").await.unwrap();
    stage.clock.settle().await;
    stage.flow().await;
    let error = failures.try_recv().expect("an error record");
    let column = |index: usize| error.records.column(index).as_string::<i32>().value(0).to_owned();
    assert_eq!(column(5), drawn[0], "what was set of it");
    assert_ne!(column(0), drawn[0]);
}

/// An emitter to HTTP that asks for the time wherever an expression may stand.
fn asking_everywhere(def: &mut nspl_model::EmitterDef) {
    let is_admission = || binary(BinaryOp::Equal, now_as_text(), text(ADMITTED), DataType::Bool);
    let made = |function, args| call(function, args, DataType::String);
    to_http(def);
    with_codec(def, STAMPING);
    def.sources[0].filter = Some(is_admission());
    def.construction = naming(now_as_text());
    def.construction.filter = Some(is_admission());
    if let SinkDef::Http(sink) = &mut def.sink {
        sink.method = made(Function::Replace, vec![now_as_text(), text(":"), text(".")]);
        sink.path = made(Function::Concat, vec![text("/"), now_as_text()]);
    }
    def.headers = vec![HeaderWrite {
        name: text("X-Now"),
        value: now_as_text(),
    }];
    let failures = relay_def("failures", failure_schema(), Some(branch_def()), 64);
    let mut policy = send_to(failures, input("id", 0, DataType::I64));
    if let MessagePolicy::SendTo(route) = &mut policy {
        route.set[0].expr = now_as_text();
    }
    def.on_message_error = policy;
}

fn away() -> Failure {
    Failure::new(FailureKind::Unavailable, "it is away")
}

#[tokio::test]
async fn whatever_asks_for_the_time_of_a_record_is_told_the_same_at_every_attempt() {
    let stage = paced_stage(START, RATE, asking_everywhere);
    let mut failures = stage.failures_consumer();
    let failed = || Outcome::Unresolved(away());
    let refused = Outcome::Rejected(Rejection::new("it is not wanted"));
    stage.endpoint.answers([failed(), failed(), refused]);
    stage.clock.advance(std::time::Duration::from_secs(1)).await;
    stage.write_to(0, &[1], "ann").await;
    stage.flow().await;
    stage.clock.advance(BACKOFF).await;
    stage.clock.advance(BACKOFF * 2).await;
    let attempts = stage.endpoint.attempts();
    assert_eq!(attempts.len(), 3, "neither WHERE held it back");
    let method = ADMITTED.replace(':', ".");
    let expected = format!("{method} /{ADMITTED} {ADMITTED}");
    for attempt in &attempts {
        let request = &attempt.work;
        let headers = request.headers.iter();
        let headers: Vec<_> = headers.map(|header| header.value.to_string()).collect();
        let told = format!("{} {} {}", request.method, request.target, headers.join(" "));
        assert_eq!(told, expected);
        let body = request.body.as_ref().expect("a body");
        assert_eq!(ids_of(body), [ADMITTED_NS], "what the codec is told");
    }
    stage.flow().await;
    let error = failures.try_recv().expect("an error record");
    let column = |index: usize| error.records.column(index).as_string::<i32>().value(0).to_owned();
    assert_eq!((column(0).as_str(), column(5).as_str()), (ADMITTED, ADMITTED));
}

#[tokio::test]
async fn the_values_of_a_row_tell_the_time_of_its_admission_at_every_attempt() {
    let stage = paced_stage(START, RATE, |def| {
        to_postgres(def, 10, u64::MAX);
        def.construction = naming(now_as_text());
    });
    let rejected = RowAnswer::Isolate(Rejection::new("it is not wanted"));
    stage.table.answers([RowAnswer::Unresolved(away()), rejected]);
    stage.clock.advance(std::time::Duration::from_secs(1)).await;
    stage.write_to(0, &[1], "ann").await;
    // It has a snapshot of its own, and stands in the same write.
    stage.clock.advance(nervix_flush::IMMEDIATE_WINDOW / 2).await;
    stage.write_to(0, &[2], "ann").await;
    stage.flow().await;
    stage.clock.advance(BACKOFF).await;
    let attempts = stage.table.attempts();
    let told = attempts.iter().map(|attempt| {
        let names = attempt.work.column(1).as_string::<i32>();
        names
            .iter()
            .map(|name| name.expect("a time").to_owned())
            .collect()
    });
    let told: Vec<Vec<String>> = told.collect();
    let (one, other) = (ADMITTED.to_owned(), "2020-01-01T00:01:00.003Z".to_owned());
    let both = vec![one.clone(), other.clone()];
    assert_eq!(told, [both.clone(), both, vec![one], vec![other]]);
}

#[tokio::test]
async fn a_codec_is_told_the_time_of_each_carrier_of_a_payload_and_once() {
    let stage = paced_stage(START, RATE, |def| {
        to_kafka(def);
        with_codec(def, STAMPING);
        def.batch = Some(BatchLimits {
            max_messages: 10,
            max_bytes: 1_000,
        });
    });
    let mut answers = [Deed::Fail(away())].into_iter();
    stage
        .broker
        .on_receipt(move |_| answers.next().unwrap_or(Deed::Take));
    stage.clock.advance(std::time::Duration::from_secs(1)).await;
    stage.write_to(0, &[1, 2], "ann").await;
    stage.clock.advance(nervix_flush::IMMEDIATE_WINDOW / 2).await;
    stage.write_to(0, &[3], "ann").await;
    stage.flow().await;
    stage.clock.advance(BACKOFF).await;
    let received = stage.broker.received();
    let told: Vec<Vec<i64>> = received.iter().map(|sent| ids_of(&sent.bytes)).collect();
    let stamps = vec![ADMITTED_NS, ADMITTED_NS, ADMITTED_NS + 3_000_000];
    assert_eq!(told, [stamps.clone(), stamps]);
}

#[tokio::test]
async fn what_is_observed_is_real_time_and_not_the_time_of_the_domain() {
    let stage = paced_stage(START, RATE, |_| {});
    let observed = stage.domain.physical().utc();
    stage.clock.advance(std::time::Duration::from_secs(1)).await;
    let later = stage.domain.physical().utc();
    assert_eq!(later.0 - observed.0, 1_000_000_000, "a second is a second");
    let snapshot = stage.domain.snapshot();
    assert_eq!(snapshot.domain_time, DomainTime(START.0 + 60_000_000_000));
    assert!(
        observed.0 > snapshot.domain_time.0,
        "what UTC says is not in a snapshot"
    );
}
