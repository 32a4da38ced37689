//! The writer: resends, refusals, places, windows, ends.

use std::{collections::HashMap, pin::pin, task::Poll};

use nervix_client::{Answer, Error};
use nervix_proto::client::v1::answer::Status as Fate;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::peer::{Peer, batch, soon};

#[tokio::test]
async fn unresolved_batches_go_again_byte_for_byte_and_refused_ones_never() {
    let mut peer = Peer::start().await;
    let mut writer = peer.client().await.writer("d", "numbers").open().await.unwrap();
    let mut tickets = Vec::new();
    for number in 0..3 {
        tickets.push(writer.write(batch(vec![number])).await.unwrap());
    }
    let mut put = peer.put().await;
    let mut sent = Vec::new();
    for _ in 0..3 {
        sent.push(put.batch().await.unwrap());
    }
    put.answer(2, 2, Fate::Refused).await;
    put.answer(1, 1, Fate::Unresolved).await;
    put.answer(0, 0, Fate::Done).await;
    let again = put.batch().await.unwrap();
    assert_eq!(again, sent[1]);
    put.answer(3, 3, Fate::Done).await;
    let report = soon(writer.flush()).await.unwrap();
    assert_eq!(
        (report.batches_done, report.batches_refused, report.resends),
        (2, 1, 1)
    );
    assert_eq!(
        (report.refusals[0].batch, report.refusals[0].code.as_str()),
        (2, "validation")
    );
    let answers: Vec<Answer> = futures::future::try_join_all(tickets).await.unwrap();
    assert!(matches!(answers[2], Answer::Refused { .. }));
    assert_eq!(answers[..2], [Answer::Done, Answer::Done]);
}

#[tokio::test]
async fn what_a_broken_stream_left_unanswered_is_sent_on_the_next_one() {
    let mut peer = Peer::start().await;
    let mut writer = peer.client().await.writer("d", "numbers").open().await.unwrap();
    for number in 0..3 {
        drop(writer.write(batch(vec![number])).await.unwrap());
    }
    let mut first = peer.put().await;
    let mut sent = Vec::new();
    for _ in 0..3 {
        sent.push(first.batch().await.unwrap());
    }
    first.answer(1, 1, Fate::Done).await;
    first.end(Status::unavailable("going away")).await;
    let mut second = peer.put().await;
    assert_eq!(second.batch().await.as_ref(), Some(&sent[0]));
    assert_eq!(second.batch().await.as_ref(), Some(&sent[2]));
    second.answer(0, 1, Fate::Done).await;
    let report = soon(writer.flush()).await.unwrap();
    assert_eq!((report.batches_done, report.resends), (3, 2));
}

#[tokio::test]
async fn a_writer_goes_where_the_server_says() {
    let (mut old, mut new) = (Peer::start().await, Peer::start().await);
    let mut writer = old.client().await.writer("d", "numbers").open().await.unwrap();
    drop(writer.write(batch(vec![1])).await.unwrap());
    old.put()
        .await
        .end(with_reason(Code::Unavailable, "moved", Some(&new.address)))
        .await;
    let mut put = new.put().await;
    assert!(put.batch().await.is_some());
    put.answer(0, 0, Fate::Done).await;
    assert_eq!(soon(writer.flush()).await.unwrap().batches_done, 1);
}

#[tokio::test]
async fn a_dropped_ingestor_ends_the_writer_with_the_reason() {
    let mut peer = Peer::start().await;
    let mut writer = peer.client().await.writer("d", "numbers").open().await.unwrap();
    let ticket = writer.write(batch(vec![1])).await.unwrap();
    peer.put()
        .await
        .end(with_reason(Code::NotFound, "dropped", None))
        .await;
    let error = soon(ticket).await.unwrap_err();
    assert_eq!(error.refusal().unwrap().reason.as_deref(), Some("dropped"));
    assert_eq!(soon(writer.flush()).await.unwrap_err(), error);
    assert_eq!(soon(writer.write(batch(vec![2]))).await.unwrap_err(), error);
}

#[tokio::test]
async fn a_full_window_makes_the_writer_wait_until_an_answer_makes_room() {
    let mut peer = Peer::start().await;
    let mut writer = peer
        .client()
        .await
        .writer("d", "numbers")
        .window_batches(1)
        .open()
        .await
        .unwrap();
    drop(writer.write(batch(vec![1])).await.unwrap());
    let mut put = peer.put().await;
    put.batch().await.unwrap();
    {
        let mut second = pin!(writer.write(batch(vec![2])));
        assert!(matches!(futures::poll!(second.as_mut()), Poll::Pending));
        put.answer(0, 0, Fate::Done).await;
        drop(soon(second).await.unwrap());
    }
    put.batch().await.unwrap();
    put.answer(1, 1, Fate::Done).await;
    assert_eq!(soon(writer.flush()).await.unwrap().batches_done, 2);
}

#[tokio::test]
async fn closing_waits_for_the_answers_and_then_half_closes() {
    let mut peer = Peer::start().await;
    let mut writer = peer.client().await.writer("d", "numbers").open().await.unwrap();
    drop(writer.write(batch(vec![1, 2])).await.unwrap());
    let mut put = peer.put().await;
    put.batch().await.unwrap();
    let playing = async {
        put.answer(0, 0, Fate::Done).await;
        assert!(put.batch().await.is_none());
        drop(put);
    };
    let (report, ()) = tokio::join!(soon(writer.close()), playing);
    assert_eq!(report.unwrap().rows_done, 2);
}

#[tokio::test]
async fn a_batch_that_no_message_can_carry_is_refused_before_it_is_sent() {
    let peer = Peer::start().await;
    let mut options = nervix_client::ConnectOptions::new(&peer.address).flight(&peer.address);
    options.message_bytes_max = 1024 * 1024;
    let client = options.connect().await.unwrap();
    let mut writer = client.writer("d", "numbers").open().await.unwrap();
    let large = batch((0..1_000_000).collect());
    assert!(matches!(writer.write(large).await, Err(Error::TooLarge { .. })));
    assert_eq!(writer.report().answered(), 0);
}

#[tokio::test]
async fn an_unknown_ingestor_is_refused_at_once() {
    let peer = Peer::start().await;
    let refused = soon(peer.client().await.writer("d", "absent").open())
        .await
        .err()
        .unwrap();
    assert_eq!(refused.refusal().unwrap().code, Code::NotFound);
}

fn with_reason(code: Code, reason: &str, location: Option<&str>) -> Status {
    let metadata = location.map(|place| ("location".to_owned(), place.to_owned()));
    let metadata: HashMap<String, String> = metadata.into_iter().collect();
    Status::with_error_details(
        code,
        reason,
        ErrorDetails::with_error_info(reason, "nervix", metadata),
    )
}
