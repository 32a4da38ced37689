//! Payloads whose outcome is not known yet (`emitters.txt`, Batch payloads): what they are made of, and when they come again.

use nervix_sink_testkit::Deed;
use nspl_model::{Attachment, DataType, HeaderWrite};

use crate::model::{BACKOFF, input};
use crate::payloads::{batched, sent, unavailable};
use crate::stage::{Stage, stage};

/// The broker takes nothing the first time that it is asked.
fn fails_first(stage: &Stage) {
    stage.broker.on_receipt(|received| match received.attempt {
        1 => Deed::Fail(unavailable()),
        _ => Deed::Take,
    });
}

#[tokio::test]
async fn records_that_come_meanwhile_go_into_later_payloads() {
    let stage = stage(batched(4, 1_000));
    fails_first(&stage);
    let first = stage.write(&[1, 2]).await;
    stage.flow().await;
    stage.broker.on_receipt(|_| Deed::Take);
    let second = stage.write(&[3]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), [[1, 2]], "it would have had room for another");
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage), [vec![1, 2], vec![1, 2], vec![3]]);
    let received = stage.broker.received();
    assert_eq!(
        (received[0].id, &received[0].bytes),
        (received[1].id, &received[1].bytes)
    );
    for (written, rows) in [(first, 2), (second, 1)] {
        assert_eq!(written.verdict().expect("a verdict").done, rows);
    }
}

#[tokio::test]
async fn a_force_flush_sends_again_at_once_with_the_same_members() {
    let stage = stage(batched(4, 1_000));
    fails_first(&stage);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    stage.handle.kick().await;
    stage.clock.settle().await;
    assert_eq!(sent(&stage), [[1, 2], [1, 2]], "before the backoff was over");
    assert_eq!(written.verdict().expect("a verdict").done, 2);
}

#[tokio::test]
async fn a_detached_emitter_answers_at_the_relay_and_still_sends_the_payload_again() {
    let stage = stage(|def| {
        batched(4, 1_000)(def);
        def.attachment = Attachment::Detached;
    });
    fails_first(&stage);
    let written = stage.write(&[1, 2]).await;
    assert_eq!(written.verdict().expect("a verdict").done, 2, "by the relay");
    stage.flow().await;
    assert_eq!(sent(&stage), [[1, 2]]);
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage), [[1, 2], [1, 2]]);
    assert_eq!(stage.counters.snapshot().sent.messages, 2);
}

#[tokio::test]
async fn max_size_counts_the_payload_and_neither_key_nor_headers() {
    let stage = stage(|def| {
        batched(4, 4)(def);
        let name = || input("name", 1, DataType::String);
        def.headers = vec![HeaderWrite {
            name: name(),
            value: name(),
        }];
    });
    stage.write_to(0, &[1, 2], &"n".repeat(100)).await;
    stage.flow().await;
    let received = stage.broker.received();
    assert_eq!(sent(&stage), [[1, 2]]);
    assert_eq!(
        (received[0].bytes.len(), received[0].headers[0].value.len()),
        (4, 100)
    );
}
