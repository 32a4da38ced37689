//! One relay, several emitters (`emitters.txt`, "Accepted Tradeoff: Shared Retry"; companion section 9): a row is done when
//! every attached path has delivered it, and one that fails opens it again for its writer.

use nervix_proto::client::v1::answer::Status;
use nspl_model::{Attachment, IngestMode};

use super::{
    model::{self, emitter, ingestor, relay},
    node::{TestNode, emits, ingests},
    peers::{Consumer, Writer, order_schema, orders},
};
use crate::assignments::EntitySpec;

fn attached(name: &str) -> EntitySpec {
    emits(1, emitter(name, relay("orders", model::orders(), None)))
}

fn detached(name: &str) -> EntitySpec {
    let mut def = emitter(name, relay("orders", model::orders(), None));
    def.attachment = Attachment::Detached;
    emits(1, def)
}

fn way_in() -> EntitySpec {
    ingests(1, ingestor(IngestMode::Ack))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_is_done_when_every_attached_emitter_has_delivered_it_whatever_a_detached_one_does() {
    let node = TestNode::start().await;
    node.run(vec![way_in(), attached("a"), attached("b"), detached("c")])
        .await;
    let mut a = Consumer::with_credit(&node, "a", 8).await;
    let mut b = Consumer::with_credit(&node, "b", 8).await;
    let mut c = Consumer::with_credit(&node, "c", 8).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..10, 3)).await;
    let (first, _) = node.within(a.delivery()).await;
    a.ack(&first.r#ref).await;
    node.within(a.outcome()).await;
    let (detached, _) = node.within(c.delivery()).await;
    assert_eq!(detached.rows, 10, "it gets the row, and never answers");
    let (second, _) = node.within(b.delivery()).await;
    assert!(
        futures::poll!(Box::pin(writer.answer())).is_pending(),
        "one attached path is open"
    );
    b.ack(&second.r#ref).await;
    let answer = node.within(writer.answer()).await.unwrap();
    assert_eq!(answer.status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_attached_path_that_fails_leaves_the_row_unresolved_though_the_other_delivered_it() {
    let node = TestNode::start().await;
    node.run(vec![way_in(), attached("a"), attached("b")]).await;
    let mut a = Consumer::with_credit(&node, "a", 8).await;
    let mut b = Consumer::with_credit(&node, "b", 8).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..10, 3)).await;
    let (first, _) = node.within(a.delivery()).await;
    a.ack(&first.r#ref).await;
    node.within(a.outcome()).await;
    node.within(b.delivery()).await;
    // b goes with what it holds; a and the way in are untouched.
    node.run(vec![way_in(), attached("a")]).await;
    let answer = node.within(writer.answer()).await.unwrap();
    assert_eq!((answer.first, answer.status()), (0, Status::Unresolved));
    // The writer sends it again, and what delivered it before gets it once more.
    writer.write(&orders(0..10, 3)).await;
    let (again, batch) = node.within(a.delivery()).await;
    assert_ne!(again.batch, first.batch, "another batch, not another attempt");
    assert_eq!(super::peers::ids_of(&batch), (0..10).collect::<Vec<_>>());
    a.ack(&again.r#ref).await;
    let answer = node.within(writer.answer()).await.unwrap();
    assert_eq!((answer.first, answer.status()), (1, Status::Done));
}
