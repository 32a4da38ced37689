//! DoPut: answers, rejected rows, faults, forms, branches, late readers.

use std::{collections::BTreeMap, sync::Arc};

use arrow::{
    array::{Array, AsArray, Int64Array, RecordBatch, StringArray, StringViewArray},
    compute::cast,
    datatypes::{DataType, Field, Schema},
};
use bytes::Bytes;
use nervix_columns::ipc;
use nervix_proto::client::v1::answer::Status;
use nspl_model::{IngestMode, MessagePolicy, Step};
use tonic::Code;

use super::{
    model::{self, emitter, id_at_least, ingestor, relay},
    node::{TestNode, emits, ingests},
    peers::{Consumer, Writer, data, descriptor, order_schema, orders},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_go_in_come_out_and_are_done_once_they_are_acked() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 100).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..10, 3)).await;
    let (delivery, batch) = node.within(consumer.delivery()).await;
    assert_eq!(
        (delivery.attempt, delivery.rows, delivery.source.as_str()),
        (1, 10, "orders")
    );
    assert_eq!(delivery.branch, "");
    assert_eq!(super::peers::ids_of(&batch), (0..10).collect::<Vec<_>>());
    assert!(
        futures::poll!(Box::pin(writer.answer())).is_pending(),
        "nothing is done before the ack"
    );
    consumer.ack(&delivery.r#ref).await;
    let answer = node.within(writer.answer()).await.unwrap();
    assert_eq!((answer.first, answer.last, answer.status()), (0, 0, Status::Done));
    let (rest, end) = node.within(writer.rest()).await;
    assert!(rest.is_empty() && end.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_ack_is_done_at_admission_and_nobody_attached_is_done_at_once() {
    let node = TestNode::start().await;
    node.run(vec![ingests(1, ingestor(IngestMode::Ack))]).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..10, 3)).await;
    let (answers, end) = node.within(writer.rest()).await;
    assert!(end.is_ok());
    assert_eq!(answers[&0].status(), Status::Done);

    let source = relay("orders", model::orders(), None);
    node.run(vec![
        ingests(2, ingestor(IngestMode::NoAck)),
        emits(2, emitter("out", source)),
    ])
    .await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    for _ in 0..3 {
        writer.write(&orders(0..10, 3)).await;
    }
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(
        answers.values().map(|answer| answer.status()).collect::<Vec<_>>(),
        [Status::Done; 3]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_batches_take_a_position_and_are_done_at_once() {
    let node = TestNode::with_orders().await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..0, 1)).await;
    let answer = node.within(writer.answer()).await.unwrap();
    assert_eq!((answer.first, answer.status()), (0, Status::Done));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_without_a_required_field_follows_the_policy_alone() {
    let node = TestNode::start().await;
    let faults = relay("faults", model::faults(), None);
    let mut def = ingestor(IngestMode::Ack);
    def.routes[0].on_message_error = model::send_to(&faults);
    node.run(vec![
        ingests(1, def),
        emits(1, emitter("out", relay("orders", model::orders(), None))),
        emits(1, emitter("wrong", faults)),
    ])
    .await;
    let mut consumer = Consumer::with_credit(&node, "out", 100).await;
    let mut wrong = Consumer::with_credit(&node, "wrong", 100).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    let batch = RecordBatch::try_new(
        order_schema(),
        vec![
            Arc::new(Int64Array::from(vec![Some(1), Some(2), Some(3)])) as _,
            Arc::new(StringArray::from(vec![Some("a"), None, Some("c")])) as _,
            Arc::new(Int64Array::from(vec![None, Some(2), Some(3)])) as _,
        ],
    )
    .unwrap();
    writer.write(&batch).await;
    assert_eq!(node.within(consumer.ack_rows(2)).await, [1, 3]);
    let (delivery, error) = node.within(wrong.delivery()).await;
    assert_eq!(
        error
            .column(0)
            .as_any()
            .downcast_ref::<StringArray>()
            .unwrap()
            .value(0),
        "decode"
    );
    assert_eq!(super::peers::ids_of(&error), [2]);
    assert!(
        futures::poll!(Box::pin(writer.answer())).is_pending(),
        "the error record has taken over the row"
    );
    wrong.ack(&delivery.r#ref).await;
    assert_eq!(node.within(writer.answer()).await.unwrap().status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_expression_concerns_its_row_and_a_filter_drops_silently() {
    let node = TestNode::start().await;
    let faults = relay("faults", model::faults(), None);
    let mut def = ingestor(IngestMode::Ack);
    def.filter = Some(id_at_least(2));
    def.routes[0].construction.steps[2] = Step::Set(model::hundred_by_amount());
    def.routes[0].on_message_error = model::send_to(&faults);
    node.run(vec![
        ingests(1, def),
        emits(1, emitter("out", relay("orders", model::orders(), None))),
        emits(1, emitter("wrong", faults)),
    ])
    .await;
    let mut consumer = Consumer::with_credit(&node, "out", 100).await;
    let mut wrong = Consumer::with_credit(&node, "wrong", 100).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    let mut amounts = vec![1; 1000];
    amounts[700] = 0;
    let batch = orders(0..1000, 3);
    let columns = vec![
        batch.column(0).clone(),
        batch.column(1).clone(),
        Arc::new(Int64Array::from(amounts)) as _,
    ];
    writer
        .write(&RecordBatch::try_new(order_schema(), columns).unwrap())
        .await;
    let ids = node.within(consumer.ack_rows(997)).await;
    assert_eq!(ids, (2..1000).filter(|id| *id != 700).collect::<Vec<_>>());
    assert_eq!(node.within(wrong.ack_rows(1)).await, [700]);
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done);
    let inlet = node.surroundings.directory.inlet(model::DOMAIN, "in").unwrap();
    let traffic = inlet.traffic();
    let rejected: u64 = traffic.rejected().iter().map(|(_, _, count)| count).sum();
    assert_eq!(
        traffic.published.messages() + traffic.filtered() + rejected,
        traffic.written.messages()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_whose_error_record_cannot_be_built_is_refused() {
    let node = TestNode::start().await;
    let faults = relay("faults", model::faults(), None);
    let mut def = ingestor(IngestMode::Ack);
    let MessagePolicy::SendTo(mut route) = model::send_to(&faults) else {
        panic!("no route")
    };
    // The SET of the error record fails itself: it divides by the amount as well.
    route.set[1] = nspl_model::Assignment {
        index: 1,
        expr: model::hundred_by_amount().expr,
    };
    def.routes[0].construction.steps[2] = Step::Set(model::hundred_by_amount());
    def.routes[0].on_message_error = MessagePolicy::SendTo(route);
    node.run(vec![ingests(1, def)]).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..10, 1)).await;
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Refused);
    assert!(
        answers[&0]
            .message
            .starts_with("of 10 rows 9 done, 1 refused, 0 unresolved"),
        "{}",
        answers[&0].message
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_that_differs_is_refused_with_every_difference() {
    let node = TestNode::start().await;
    node.run(vec![ingests(1, ingestor(IngestMode::Ack))]).await;
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, true),
        Field::new("extra", DataType::Int64, true),
    ]));
    let writer = Writer::open(&node, &schema).await.unwrap();
    let (_, end) = node.within(writer.ended()).await;
    let status = end.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    for word in ["id", "extra", "key"] {
        assert!(
            status.message().contains(word),
            "{word} is missing in: {}",
            status.message()
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wider_forms_of_stock_clients_are_taken() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 100).await;
    let names = StringViewArray::from_iter_values(["a", "b"]);
    let ids = cast(&Int64Array::from(vec![1, 2]), &DataType::Int64).unwrap();
    let batch =
        RecordBatch::try_from_iter([("key", Arc::new(names) as Arc<dyn Array>), ("id", ids)]).unwrap();
    let writer = Writer::open(&node, &batch.schema()).await.unwrap();
    writer.write(&batch).await;
    let (delivery, received) = node.within(consumer.delivery()).await;
    assert_eq!(super::peers::ids_of(&received), [1, 2]);
    assert_eq!(received.column(1).data_type(), &DataType::Utf8);
    let names: Vec<Option<&str>> = received.column(1).as_string::<i32>().iter().collect();
    assert_eq!(names, [Some("a"), Some("b")]);
    assert_eq!(received.column(2).null_count(), 2);
    consumer.ack(&delivery.r#ref).await;
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_malformed_on_a_stream_ends_it_with_a_sentence() {
    let node = TestNode::start().await;
    node.run(vec![ingests(1, ingestor(IngestMode::Ack))]).await;
    let cases: [(&[u8], &str); 3] = [
        (br#"{"nonsense":1}"#, "nonsense"),
        (br#"{"credit":{"batches":1}}"#, "DoExchange"),
        (&[0x0a, 0xff], "protobuf"),
    ];
    for (metadata, word) in cases {
        let mut first = data(ipc::schema_message(&order_schema()));
        first.flight_descriptor = Some(descriptor("ingestor", "in"));
        first.app_metadata = Bytes::copy_from_slice(metadata);
        let writer = Writer::begin(&node, first).await.unwrap();
        let status = node.within(writer.ended()).await.1.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains(word), "{}", status.message());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_above_the_limit_ends_the_stream_with_limit_and_remedy() {
    let node = TestNode::with(64 * 1024 * 1024, 256 * 1024).await;
    node.run(vec![ingests(1, ingestor(IngestMode::Ack))]).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..100_000, 3)).await;
    let status = node.within(writer.ended()).await.1.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().contains("262144") && status.message().contains("--flight-max-message"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_that_reads_its_answers_at_the_end_only_finishes() {
    const BATCHES: u64 = 20_000;
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", u32::MAX).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    let small = data(ipc::encode(&orders(7..8, 1)).unwrap());
    let written = async {
        for _ in 0..BATCHES {
            writer.send(small.clone()).await;
        }
        writer.rest().await
    };
    let both = futures::future::join(consumer.ack_rows(BATCHES as usize), written);
    let (ids, (answers, end)) = node.within(both).await;
    assert!(end.is_ok());
    assert_eq!(answers.len() as u64, BATCHES);
    assert!(answers.values().all(|answer| answer.status() == Status::Done));
    assert_eq!(ids.len() as u64, BATCHES);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_branched_by_key_and_more_keys_than_instances_wait_their_turn() {
    let node = TestNode::start().await;
    let branch = model::by_key(Some(2));
    let source = relay("orders", model::orders(), Some(branch.clone()));
    node.run(vec![
        ingests(1, model::branched_ingestor(&branch)),
        emits(1, emitter("out", source)),
    ])
    .await;
    let mut consumer = Consumer::with_credit(&node, "out", 1000).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..100, 10)).await;
    let mut by_branch: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    while by_branch.values().map(Vec::len).sum::<usize>() < 100 {
        let heard = node.within(consumer.hear()).await.unwrap().unwrap();
        if let super::peers::Heard::Delivered(delivery, batch) = heard {
            by_branch
                .entry(delivery.branch.clone())
                .or_default()
                .extend(super::peers::ids_of(&batch));
            consumer.ack(&delivery.r#ref).await;
        }
    }
    assert_eq!(by_branch.len(), 10);
    for (fingerprint, ids) in by_branch {
        assert_eq!(fingerprint.len(), 64);
        assert_eq!(ids.len(), 10);
        assert!(ids.iter().all(|id| id % 10 == ids[0] % 10));
    }
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done);
}
