//! The driver of request sinks: order, one request out, retained bytes, pacing, rejections, bodies, drains.

use std::time::Duration;

use arrow::array::AsArray;
use nervix_sink::{Failure, FailureKind, Outcome, Rejection, RevokeReason};
use nspl_model::{Attachment, Content, DataType, EmitterDef, HeaderWrite, Schema, SinkDef};

use crate::dice::Dice;
use crate::model::{BACKOFF, branch_def, failure_schema, input, order_schema, relay_def, send_to, text};
use crate::outside::{UNWRITABLE, to_http};
use crate::stage::{Stage, orders, stage, stage_of};

fn failed(asked: Option<Duration>) -> Outcome {
    Outcome::Unresolved(Failure {
        retry_after: asked,
        ..Failure::new(
            FailureKind::Unavailable,
            "HTTP endpoint answered with retryable status 503",
        )
    })
}

fn refused() -> Outcome {
    Outcome::Rejected(Rejection::new("HTTP endpoint answered with status 404"))
}

/// Each attempt as target and body, in order.
fn sent(stage: &Stage) -> Vec<String> {
    let sent = stage.endpoint.attempts();
    let text = |body: &bytes::Bytes| String::from_utf8_lossy(body).trim().to_owned();
    sent.iter()
        .map(|sent| {
            let body = sent.work.body.as_ref().map_or("-".to_owned(), text);
            format!("{} {body}", sent.work.target)
        })
        .collect()
}

async fn written(stage: &Stage, ids: &[i64]) -> crate::stage::Written {
    stage.write_to(0, ids, "/a").await
}

#[tokio::test]
async fn each_record_is_a_request_and_one_is_out_at_a_time() {
    let stage = stage(to_http);
    stage.endpoint.hold(true);
    let written = written(&stage, &[1, 2]).await;
    stage.write_to(0, &[3], "/b/../c").await;
    stage.flow().await;
    assert_eq!(sent(&stage), ["/a 1"]);
    for (count, expected) in [(1, "/a 2"), (2, "/c 3")] {
        assert!(stage.endpoint.answer(Outcome::DELIVERED));
        stage.clock.settle().await;
        assert_eq!(sent(&stage)[count..], [expected]);
    }
    assert_eq!(
        written.verdict().expect("a verdict").done,
        2,
        "delivered one by one"
    );
    assert!(stage.endpoint.answer(Outcome::DELIVERED));
    stage.clock.settle().await;
    let status = stage.handle.status();
    assert_eq!((status.counters.sent.messages, status.pending.messages), (3, 0));
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn one_request_is_out_over_all_sources_and_branches() {
    let branched = relay_def("orders", order_schema(), Some(branch_def()), 64);
    let others = relay_def("others", order_schema(), None, 64);
    let stage = stage_of(&[branched, others], 64 << 20, to_http);
    stage.endpoint.hold(true);
    for (source, id, name) in [(0, 1, "/a"), (0, 2, "/b"), (1, 3, "/c")] {
        stage.write_to(source, &[id], name).await;
    }
    stage.flow().await;
    for out in 1..=3 {
        assert_eq!(sent(&stage).len(), out);
        assert!(stage.endpoint.answer(Outcome::DELIVERED));
        stage.clock.settle().await;
    }
    let mut all = sent(&stage);
    all.sort_unstable();
    assert_eq!(all, ["/a 1", "/b 2", "/c 3"]);
}

#[tokio::test]
async fn a_detached_emitter_answers_at_the_relay_and_still_retries_in_order_and_routes_rejections() {
    let stage = stage(|def| {
        to_http(def);
        def.attachment = Attachment::Detached;
        let failures = relay_def("failures", failure_schema(), None, 64);
        def.on_message_error = send_to(failures, input("id", 0, DataType::I64));
    });
    let mut failures = stage.failures_consumer();
    stage.endpoint.answers([failed(None), refused()]);
    let written = written(&stage, &[1, 2]).await;
    assert_eq!(written.verdict().expect("a verdict").done, 2, "by the relay");
    stage.flow().await;
    assert_eq!(sent(&stage), ["/a 1"], "what is behind it waits");
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage), ["/a 1", "/a 1", "/a 2"]);
    stage.flow().await;
    let batch = failures.try_recv().expect("an error record");
    assert_eq!(batch.records.num_rows(), 1);
    batch.share.settle(nervix_ack::Fate::Done);
    assert_eq!(stage.handle.status().counters.sent.messages, 1);
}

#[tokio::test]
async fn bytes_are_those_of_the_finished_records_whatever_their_requests_say() {
    let logical = nervix_columns::logical_bytes(&orders(&[1, 2], "/a"));
    for path in ["/", "/a/much/longer/path?with=a&query"] {
        let stage = stage(|def| {
            to_http(def);
            if let SinkDef::Http(sink) = &mut def.sink {
                sink.path = text(path);
            }
            def.headers = vec![HeaderWrite {
                name: text("X-Path"),
                value: text(path),
            }];
        });
        stage.endpoint.answers([failed(None)]);
        written(&stage, &[1, 2]).await;
        stage.flow().await;
        stage.clock.advance(BACKOFF).await;
        let sent = stage.handle.status().counters.sent;
        assert_eq!((sent.messages, sent.bytes), (2, logical), "{path}");
    }
}

#[tokio::test]
async fn a_flush_without_a_writable_record_holds_up_no_later_one() {
    let stage = stage(to_http);
    stage.endpoint.hold(true);
    for id in [1, UNWRITABLE, 3] {
        written(&stage, &[id]).await;
        stage.flow().await;
    }
    assert_eq!(sent(&stage), ["/a 1"]);
    assert!(stage.endpoint.answer(Outcome::DELIVERED));
    stage.clock.settle().await;
    assert_eq!(sent(&stage), ["/a 1", "/a 3"]);
}

#[tokio::test]
async fn an_unresolved_request_stops_what_is_behind_it_and_is_sent_again_as_it_was() {
    let stage = stage(|def| {
        to_http(def);
        def.headers = vec![HeaderWrite {
            name: text("X-Name"),
            value: input("name", 1, DataType::String),
        }];
    });
    let answers = [Outcome::DELIVERED, failed(None), failed(None)];
    stage.endpoint.answers(answers);
    let written = written(&stage, &[1, 2, 3]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), ["/a 1", "/a 2"]);
    let status = stage.handle.status();
    let transient = status.transient_error.expect("a transient error");
    let told = (transient.message.as_str(), transient.backoff, transient.wait);
    assert_eq!(
        told,
        (
            "HTTP endpoint answered with retryable status 503",
            BACKOFF,
            BACKOFF
        )
    );
    assert_eq!(
        (status.pending.retained_batches, status.pending.awaiting_retry),
        (2, 1)
    );
    assert!(stage.budget.used() > 0, "what is retained is accounted for");
    // What comes meanwhile waits behind.
    stage.write_to(0, &[4], "/a").await;
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage), ["/a 1", "/a 2", "/a 2"]);
    assert_eq!(
        stage.handle.status().transient_error.expect("still").backoff,
        BACKOFF * 2
    );
    stage.clock.advance(BACKOFF * 2).await;
    assert_eq!(sent(&stage), ["/a 1", "/a 2", "/a 2", "/a 2", "/a 3", "/a 4"]);
    let attempts = stage.endpoint.attempts();
    let of = |attempt: usize| {
        let request = &attempts[attempt].work;
        let headers = request.headers.iter();
        let headers: Vec<_> = headers
            .map(|header| (header.name.clone(), header.value.clone()))
            .collect();
        (
            request.method.clone(),
            request.target.clone(),
            headers,
            request.body.clone(),
        )
    };
    assert!(of(1) == of(2) && of(2) == of(3));
    assert_eq!(of(1).2.len(), 1);
    assert_eq!(written.verdict().expect("a verdict").done, 3);
    let status = stage.handle.status();
    assert_eq!((status.counters.retries, status.transient_error), (2, None));
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn the_wait_is_the_longer_of_backoff_and_what_is_asked_and_begins_anew_with_each_flush() {
    let stage = stage(to_http);
    let second = Duration::from_secs(1);
    let asked = Some(second * 90);
    stage
        .endpoint
        .answers([failed(None), failed(asked), Outcome::DELIVERED, failed(None)]);
    written(&stage, &[1, 2]).await;
    stage.flow().await;
    let backoff = |stage: &Stage| stage.handle.status().transient_error.map(|told| told.backoff);
    assert_eq!(backoff(&stage), Some(BACKOFF));
    stage.clock.advance(BACKOFF).await;
    assert_eq!(backoff(&stage), Some(second * 90), "even beyond MAX");
    stage.clock.advance(second * 89).await;
    assert_eq!(sent(&stage).len(), 2);
    stage.clock.advance(second).await;
    assert_eq!(sent(&stage), ["/a 1", "/a 1", "/a 1", "/a 2"]);
    assert_eq!(
        backoff(&stage),
        Some(second),
        "a delivery inside a flush resets nothing, MAX caps"
    );
    stage.clock.advance(second).await;
    assert_eq!(backoff(&stage), None);
    stage.endpoint.answers([failed(None)]);
    written(&stage, &[3]).await;
    stage.flow().await;
    assert_eq!(backoff(&stage), Some(BACKOFF), "the flush before it completed");
}

#[tokio::test]
async fn a_refused_request_follows_the_policy_and_the_next_one_goes_out() {
    let stage = stage(|def| {
        to_http(def);
        let failures = relay_def("failures", failure_schema(), None, 64);
        def.on_message_error = send_to(failures, input("id", 0, DataType::I64));
    });
    let mut failures = stage.failures_consumer();
    stage.endpoint.answers([Outcome::DELIVERED, refused()]);
    let written = written(&stage, &[1, 2, 3]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), ["/a 1", "/a 2", "/a 3"]);
    stage.flow().await;
    let batch = failures.try_recv().expect("an error record");
    let column = |index: usize| batch.records.column(index).as_string::<i32>().value(0).to_owned();
    let told = (column(1), column(2), column(3), column(5));
    let expected = [
        "external",
        "publish",
        "HTTP endpoint answered with status 404",
        "/a",
    ];
    assert_eq!(told, expected.map(str::to_owned).into());
    assert!(written.verdict().is_none(), "the error record has taken over");
    batch.share.settle(nervix_ack::Fate::Done);
    assert_eq!(written.verdict().expect("a verdict").done, 3);
}

#[tokio::test]
async fn a_record_without_a_target_or_a_body_is_rejected_alone() {
    let stage = stage(to_http);
    stage.write_to(0, &[1], "//evil").await;
    written(&stage, &[2, UNWRITABLE, 3]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), ["/a 2", "/a 3"]);
    let counters = stage.handle.status().counters;
    let rejected = counters.rejected.iter();
    let mut rejected: Vec<_> = rejected
        .map(|rejected| {
            (
                rejected.code.as_str(),
                rejected.operation.as_str(),
                rejected.messages,
            )
        })
        .collect();
    rejected.sort_unstable();
    assert_eq!(
        rejected,
        [("evaluation", "encode", 1), ("validation", "publish", 1)]
    );
    assert_eq!(stage.budget.used(), 0);
}

fn without_body(def: &mut EmitterDef) {
    to_http(def);
    def.content = Content::Absent;
    def.output = std::sync::Arc::new(Schema {
        name: "none".to_owned(),
        fields: Vec::new(),
    });
    def.construction.steps.clear();
}

#[tokio::test]
async fn without_a_body_nothing_is_encoded_and_no_payload_bytes_are_counted() {
    let stage = stage(without_body);
    let written = written(&stage, &[1, 2]).await;
    stage.write_to(0, &[3], "no slash").await;
    stage.flow().await;
    assert_eq!(sent(&stage), ["/a -", "/a -"]);
    assert_eq!(written.verdict().expect("a verdict").done, 2);
    let counters = stage.handle.status().counters;
    assert_eq!((counters.sent.messages, counters.sent.bytes), (2, 0));
    assert_eq!(counters.rejected_messages(), 1);
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn a_drain_waits_for_every_request_and_keeps_what_an_endpoint_asked_for() {
    let stage = stage(to_http);
    stage.endpoint.answers([failed(Some(Duration::from_secs(10)))]);
    written(&stage, &[1, 2]).await;
    stage.flow().await;
    let deadline = stage.clock.physical().now().after(Duration::from_secs(60));
    let handle = stage.handle.clone();
    let draining = tokio::spawn(async move { handle.drain(deadline).await });
    stage.clock.settle().await;
    stage.clock.advance(Duration::from_secs(9)).await;
    assert_eq!(sent(&stage), ["/a 1"]);
    stage.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(sent(&stage), ["/a 1", "/a 1", "/a 2"]);
    assert_eq!(draining.await.expect("no panic"), Ok(()));
}

#[tokio::test]
async fn stopping_gives_up_the_request_that_is_out_and_everything_behind_it() {
    let stage = stage(to_http);
    stage.endpoint.hold(true);
    let written = written(&stage, &[1, 2]).await;
    stage.flow().await;
    stage.handle.stop(RevokeReason::Stopped).await;
    let verdict = written.verdict().expect("a verdict");
    assert_eq!((verdict.done, verdict.unresolved), (0, 2));
    assert!(
        !stage.endpoint.answer(Outcome::DELIVERED),
        "nobody waits for it any more"
    );
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn whatever_is_answered_each_record_ends_once_and_in_order() {
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let stage = stage(to_http);
        let outcomes = (0..600).map(|_| match dice.roll(5) {
            0 => failed(None),
            1 => refused(),
            2 => failed(Some(Duration::from_secs(2))),
            _ => Outcome::DELIVERED,
        });
        stage.endpoint.answers(outcomes.collect::<Vec<_>>());
        let mut verdicts = Vec::new();
        for batch in 0..10_i64 {
            let ids: Vec<i64> = (0..20).map(|row| batch * 20 + row).collect();
            verdicts.push(written(&stage, &ids).await);
            stage.flow().await;
        }
        for _ in 0..1_000 {
            stage.clock.advance(Duration::from_secs(1)).await;
            if stage.handle.status().pending.messages == 0 {
                break;
            }
        }
        for written in verdicts {
            assert_eq!(written.verdict().expect("a verdict").done, 20, "seed {seed}");
        }
        let mut order = sent(&stage);
        let attempts = order.len();
        order.dedup();
        let expected: Vec<String> = (0..200).map(|id| format!("/a {id}")).collect();
        assert_eq!(
            order, expected,
            "seed {seed}: repeated in place, and nothing before its turn"
        );
        let counters = stage.handle.status().counters;
        assert_eq!(counters.retries as usize, attempts - 200, "seed {seed}");
        assert_eq!(
            counters.sent.messages + counters.rejected_messages(),
            200,
            "seed {seed}"
        );
        assert_eq!(stage.budget.used(), 0, "seed {seed}");
    }
}
