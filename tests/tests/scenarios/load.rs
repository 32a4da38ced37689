//! A load in the middle of which something ends it: some of it is acknowledged, the rest is written, or held, and is not.

use std::collections::BTreeSet;

use nervix_proto::client::v1::{answer, outcome};
use nervix_tests::flight::{Exchange, Put, encode, expand};
use nervix_tests::rows::read_ids;
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;
use tokio::task::JoinSet;

use crate::graph::{batch, consumer, schema, writer};

/// Rows of one batch.
const ROWS: i64 = 10;

/// A writer that writes for as long as it can, and a consumer that has acknowledged some of it and acknowledges no more.
pub(crate) struct Load {
    put: Put,
    writing: JoinSet<i64>,
    consumer: Exchange,
    acknowledged: BTreeSet<i64>,
}

impl Load {
    /// Begins it, and acknowledges twenty deliveries.
    pub(crate) async fn begin(server: &Nervix) -> Self {
        let put = writer(server).await;
        let (sender, mut writing) = (put.sender(), JoinSet::new());
        writing.spawn(async move {
            let mut written = 0;
            let message = |n: i64| encode(&schema(), batch(n * ROWS, ROWS)).remove(1);
            while sender.send(message(written)).await.is_ok() {
                written += 1;
            }
            written
        });
        let mut consumer = consumer(server).await;
        consumer.credit(u32::MAX).await;
        let mut acknowledged = BTreeSet::new();
        for _ in 0..20 {
            let (delivery, rows) = consumer.delivery().await;
            consumer.ack(&delivery.r#ref).await;
            assert_eq!(
                consumer.outcome(&delivery.r#ref).await.result(),
                outcome::Result::Confirmed
            );
            acknowledged.extend(read_ids(&rows));
        }
        Self {
            put,
            writing,
            consumer,
            acknowledged,
        }
    }

    /// Reads the answers to the end of the stream, which is UNAVAILABLE: a position whose rows are acknowledged is DONE,
    /// every other UNRESOLVED, each once. Gives the consumer back, and the first id of each batch that is unresolved.
    pub(crate) async fn until_cut_off(mut self) -> (Exchange, Vec<i64>) {
        let mut answers = Vec::new();
        let end = loop {
            match self.put.answer().await {
                Ok(answer) => answers.push(answer.expect("the stream ends with a reason")),
                Err(end) => break end,
            }
        };
        assert_eq!(end.code(), tonic::Code::Unavailable, "{end:?}");
        let written: i64 = must(
            "the writer",
            self.writing.join_next().await.expect("it ends once"),
        );
        let answers = expand(answers);
        assert!(i64::try_from(answers.len()).is_ok_and(|answered| answered <= written));
        let (mut done, mut unresolved) = (0, Vec::new());
        for (at, (position, answer)) in (0_u64..).zip(&answers) {
            assert_eq!(*position, at, "each position is answered once");
            let first = i64::try_from(*position).expect("small") * ROWS;
            let is_acknowledged = (first..first + ROWS).all(|id| self.acknowledged.contains(&id));
            let expected = match is_acknowledged {
                true => answer::Status::Done,
                false => answer::Status::Unresolved,
            };
            assert_eq!(*answer, expected, "position {position}");
            match is_acknowledged {
                true => done += 1,
                false => unresolved.push(first),
            }
        }
        assert!(done > 0 && unresolved.len() > 8, "{answers:?}");
        (self.consumer, unresolved)
    }
}
