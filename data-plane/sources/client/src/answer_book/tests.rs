//! Who reads, settles and sends answers, together.

use std::{future::poll_fn, sync::Arc};

use nervix_ack::{Fate, Reason as Why, root};

use super::{AnswerBook, answer_of};
use crate::answers::{Answer, RESEND_AFTER, Status};

#[tokio::test]
async fn what_was_ready_is_sent_before_the_end() {
    let book = AnswerBook::default();
    let first = book.issue();
    book.issue();
    book.settle(first, Answer::done());
    book.finish(
        Err("stopped"),
        Some(&Answer::unresolved("stopped", "stopped", RESEND_AFTER)),
    );
    book.settle(1, Answer::done());
    let mut seen = Vec::new();
    while let Some(next) = poll_fn(|cx| book.poll_next(cx)).await {
        seen.push(next);
    }
    assert_eq!(seen.len(), 3);
    assert_eq!(seen[0].as_ref().unwrap().answer.status, Status::Done);
    assert_eq!(seen[1].as_ref().unwrap().answer.status, Status::Unresolved);
    assert_eq!(seen[2], Err("stopped"));
}

#[tokio::test]
async fn a_reader_that_goes_without_a_word_ends_the_stream() {
    let book = Arc::new(AnswerBook::default());
    book.issue();
    drop(book.guard("cut off", Answer::unresolved("internal", "cut off", RESEND_AFTER)));
    assert_eq!(
        poll_fn(|cx| book.poll_next(cx))
            .await
            .unwrap()
            .unwrap()
            .answer
            .status,
        Status::Unresolved
    );
    assert_eq!(poll_fn(|cx| book.poll_next(cx)).await, Some(Err("cut off")));
    assert!(poll_fn(|cx| book.poll_next(cx)).await.is_none());
}

#[tokio::test]
async fn everything_settled_is_noticed() {
    let book: Arc<AnswerBook<()>> = Arc::default();
    book.all_settled().await;
    let position = book.issue();
    let mut waits = Box::pin(book.all_settled());
    assert!(futures::poll!(&mut waits).is_pending());
    book.settle(position, Answer::done());
    waits.await;
}

#[test]
fn an_answer_counts_the_rows_of_each_fate_and_says_why() {
    let (told, heard) = std::sync::mpsc::channel();
    let mut share = root(10, move |verdict| told.send(answer_of(&verdict)).unwrap());
    share.split_to(7).settle(Fate::Done);
    share.settle_with(
        Fate::Refused,
        Why::new("evaluation", "the error record could not be built"),
    );
    let answer = heard.recv().unwrap();
    assert_eq!(answer.status, Status::Refused);
    assert_eq!(answer.code, "evaluation");
    assert_eq!(
        answer.message,
        "of 10 rows 7 done, 3 refused, 0 unresolved: the error record could not be built"
    );
}
