//! What passes of a body, and when.

use std::{future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::{FutureExt, stream};
use http_body_util::StreamBody;
use hyper::body::{Body, Frame};
use nervix_budget::Budget;
use nervix_clock::{ManualClock, PhysicalClock};
use tonic::{Code, Status};

use super::{Claims, MESSAGE_RATE_MIN, MESSAGE_STALL_MAX, Messages};
use crate::flight::{Admission, MessageLimit};

const LIMIT: usize = 1024 * 1024;

fn written(sizes: &[usize]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for size in sizes {
        bytes.push(0);
        bytes.extend_from_slice(&u32::try_from(*size).unwrap().to_be_bytes());
        bytes.extend((0..*size).map(|at| u8::try_from(at % 251).unwrap()));
    }
    bytes
}

fn body(bytes: &[u8], chunk: usize, ends: bool) -> tonic::body::Body {
    let chunks: Vec<Result<Frame<Bytes>, Status>> = bytes
        .chunks(chunk)
        .map(|chunk| Ok(Frame::data(Bytes::copy_from_slice(chunk))))
        .collect();
    let chunks = stream::iter(chunks);
    match ends {
        true => tonic::body::Body::new(StreamBody::new(chunks)),
        false => tonic::body::Body::new(StreamBody::new(futures::StreamExt::chain(
            chunks,
            stream::pending(),
        ))),
    }
}

fn messages(body: tonic::body::Body, budget: &Budget, clock: PhysicalClock) -> (Messages, Arc<Claims>) {
    let claims = Arc::new(Claims::default());
    let admission = Admission::new(budget.clone(), clock, MessageLimit::new(LIMIT));
    (Messages::new(body, admission, Arc::clone(&claims)), claims)
}

async fn next(messages: &mut Messages) -> Option<Result<Bytes, Status>> {
    let frame = poll_fn(|cx| Pin::new(&mut *messages).poll_frame(cx)).await?;
    Some(frame.map(|frame| frame.into_data().unwrap()))
}

#[tokio::test]
async fn every_byte_passes_once_and_in_order_however_it_is_cut() {
    let whole = written(&[10, 70_000, 0, 65_536, 200_000, 3]);
    for chunk in [1, 4, 5, 7, 1_000, 16_384, whole.len()] {
        let budget = Budget::new(1_000_000);
        let (mut messages, claims) = messages(body(&whole, chunk, true), &budget, PhysicalClock::system());
        let mut passed = Vec::new();
        while let Some(bytes) = next(&mut messages).await {
            passed.extend_from_slice(&bytes.unwrap());
        }
        assert!(passed == whole, "cut in {chunk}");
        assert_eq!(budget.used(), 200_000, "the last that was not taken");
        assert_eq!(claims.take(5).map(|held| held.bytes()), Some(200_000));
        assert_eq!(budget.used(), 0);
    }
}

#[tokio::test]
async fn a_message_waits_for_room_and_nothing_of_it_passes_before() {
    let budget = Budget::new(100_000);
    let room = budget.charge(90_000);
    let whole = written(&[10, 70_000]);
    let (mut messages, claims) = messages(body(&whole, 16_384, true), &budget, PhysicalClock::system());
    assert_eq!(next(&mut messages).await.unwrap().unwrap().len(), 15);
    assert!(next(&mut messages).now_or_never().is_none());
    assert_eq!(budget.waiting(), 1);
    drop(room);
    assert!(next(&mut messages).await.is_some());
    assert!(claims.take(1).is_none());
    assert_eq!(claims.take(2).map(|held| held.bytes()), Some(70_000));
}

#[tokio::test]
async fn a_message_that_stops_in_the_middle_gives_its_room_up() {
    let clock = ManualClock::new();
    let budget = Budget::new(100_000);
    let whole = written(&[70_000]);
    let (mut messages, _claims) = messages(body(&whole[..50_000], 50_000, false), &budget, clock.physical());
    assert_eq!(next(&mut messages).await.unwrap().unwrap().len(), 50_000);
    assert!(next(&mut messages).now_or_never().is_none());
    clock.advance(MESSAGE_STALL_MAX).await;
    let status = next(&mut messages).await.unwrap().unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    drop((messages, _claims));
    assert_eq!(budget.used(), 0);
}

#[tokio::test]
async fn a_message_that_trickles_in_gives_its_room_up_after_what_its_size_allows() {
    let clock = ManualClock::new();
    let budget = Budget::new(LIMIT as u64);
    let size = 500_000;
    let whole = written(&[size]);
    let (trickle, came) = futures::channel::mpsc::channel::<Result<Frame<Bytes>, Status>>(1);
    let body = tonic::body::Body::new(StreamBody::new(came));
    let (mut messages, claims) = messages(body, &budget, clock.physical());
    let allowed = MESSAGE_STALL_MAX.as_secs() + (size as u64).div_ceil(MESSAGE_RATE_MIN);
    let mut trickle = trickle;
    let mut sent = 0;
    let mut seconds = 0;
    let status = loop {
        let piece = Bytes::copy_from_slice(&whole[sent..=sent + 5]);
        trickle.try_send(Ok(Frame::data(piece))).unwrap();
        sent += 6;
        match next(&mut messages).await.unwrap() {
            Ok(passed) => assert!(!passed.is_empty()),
            Err(status) => break status,
        }
        assert!(seconds <= allowed, "it holds its room after {seconds} s");
        if let Some(Some(Err(status))) = next(&mut messages).now_or_never() {
            break status;
        }
        clock.advance(Duration::from_secs(1)).await;
        seconds += 1;
    };
    assert_eq!((status.code(), seconds), (Code::DeadlineExceeded, allowed));
    drop((messages, claims));
    assert_eq!(budget.used(), 0);
}
