use std::{pin::Pin, sync::Arc, task::Context};

use arrow_flight::FlightData;
use bytes::Bytes;
use futures::{StreamExt, stream, task::noop_waker_ref};
use hyper::body::Body;
use nervix_budget::Budget;
use nervix_sink::{Headers, Lane, LaneId, Payload, PayloadId};
use prost::Message as _;
use tonic::{Code, Status};

use super::{COPIED_BYTES_MAX, Frames, Message, PREFIX_BYTES};
use crate::flight::limits::MessageLimit;

const LIMIT: usize = 1024 * 1024;

fn delivery(budget: &Budget, bytes: usize) -> Message {
    let lane = Lane {
        id: LaneId(1),
        source: "orders".into(),
        branch: "".into(),
        key: None,
    };
    let payload = Payload {
        id: PayloadId(1),
        lane: Arc::new(lane),
        sequence: 0,
        rows: 1,
        head: Bytes::from_static(b"head"),
        body: Bytes::from(vec![7; bytes]),
        headers: Headers::default(),
        held: budget.charge(bytes as u64),
    };
    Message {
        data: FlightData {
            data_header: payload.head.clone(),
            app_metadata: Bytes::from_static(b"{}"),
            ..FlightData::default()
        },
        payload: Some(Arc::new(payload)),
    }
}

fn frames(messages: Vec<Result<Message, Status>>) -> Frames {
    Frames::new(stream::iter(messages).boxed(), MessageLimit::new(LIMIT))
}

/// The frames of data, and the status in the trailers.
fn sent(mut frames: Frames) -> (Vec<Bytes>, Status) {
    let mut cx = Context::from_waker(noop_waker_ref());
    let mut data = Vec::new();
    loop {
        let frame = match Pin::new(&mut frames).poll_frame(&mut cx) {
            std::task::Poll::Ready(Some(Ok(frame))) => frame,
            _ => panic!("the stream ends without trailers"),
        };
        match frame.into_data() {
            Ok(bytes) => data.push(bytes),
            Err(frame) => {
                let trailers = frame.into_trailers().expect("trailers");
                let end = Pin::new(&mut frames).poll_frame(&mut cx);
                assert!(matches!(end, std::task::Poll::Ready(None)));
                return (data, Status::from_header_map(&trailers).expect("a status"));
            }
        }
    }
}

/// The messages in a stream of bytes.
fn read(mut bytes: &[u8]) -> Vec<FlightData> {
    let mut messages = Vec::new();
    while let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX_BYTES>() {
        let [0, length @ ..] = *prefix else {
            panic!("a compressed message")
        };
        let (message, rest) = rest.split_at(u32::from_be_bytes(length) as usize);
        messages.push(FlightData::decode(message).unwrap());
        bytes = rest;
    }
    messages
}

#[test]
fn every_message_is_what_the_transport_would_have_written() {
    let budget = Budget::new(u64::MAX);
    let sizes = [0, 1, 100, COPIED_BYTES_MAX, COPIED_BYTES_MAX + 1, 200_000, 3];
    let messages = sizes.map(|bytes| Ok(delivery(&budget, bytes)));
    let (data, status) = sent(frames(messages.into()));
    assert_eq!(status.code(), Code::Ok);
    let read = read(&data.concat());
    let bodies: Vec<_> = read.iter().map(|message| message.data_body.len()).collect();
    assert_eq!(bodies, sizes);
    for message in read {
        assert_eq!(
            (&*message.data_header, &*message.app_metadata),
            (&b"head"[..], &b"{}"[..])
        );
        assert!(message.data_body.iter().all(|byte| *byte == 7));
    }
}

#[test]
fn a_body_is_lent_and_counts_in_the_budget_until_it_is_given_back() {
    let budget = Budget::new(u64::MAX);
    let message = delivery(&budget, 100_000);
    let payload = Arc::clone(message.payload.as_ref().unwrap());
    let other = Message {
        data: message.data.clone(),
        payload: Some(Arc::clone(&payload)),
    };
    let body = payload.body.as_ptr();
    drop(payload);
    let sent: Vec<_> = [message, other]
        .map(|message| sent(frames(vec![Ok(message)])).0)
        .into();
    for data in &sent {
        assert_eq!(
            data.last().map(|frame| frame.as_ptr()),
            Some(body),
            "its own bytes"
        );
    }
    assert_eq!(budget.used(), 100_000, "once, for both");
    drop(sent);
    assert_eq!(budget.used(), 0);
}

#[test]
fn small_messages_share_a_frame() {
    let budget = Budget::new(u64::MAX);
    let messages = (0..20).map(|_| Ok(delivery(&budget, 1_000)));
    let (data, _) = sent(frames(messages.collect()));
    assert_eq!(data.len(), 1);
}

#[test]
fn a_message_above_the_limit_ends_the_stream_and_names_limit_and_remedy() {
    let budget = Budget::new(u64::MAX);
    let messages = vec![Ok(delivery(&budget, 10)), Ok(delivery(&budget, LIMIT + 1))];
    let (data, status) = sent(frames(messages));
    assert_eq!(read(&data.concat()).len(), 1);
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().contains("--flight-max-message"), "{status:?}");
    assert_eq!(budget.used(), 0);
}

#[test]
fn what_came_before_a_fault_is_sent_before_it() {
    let budget = Budget::new(u64::MAX);
    let messages = vec![Ok(delivery(&budget, 50_000)), Err(Status::not_found("dropped"))];
    let (data, status) = sent(frames(messages));
    assert_eq!(read(&data.concat()).len(), 1);
    assert_eq!((status.code(), status.message()), (Code::NotFound, "dropped"));
}
