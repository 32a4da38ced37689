//! Fields that nothing sets: null columns that may take more memory than all that was written.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use nervix_sink_client::Delivery;
use nspl_model::{BatchLimits, ClientSinkDef, DataType, EmitterDef, Field, Schema, SinkDef};

use crate::model::{input, order_schema, positive, send_to};
use crate::stage::{ack, decode, delivery, failures_def, is_quiet, stage};

const MIB: u64 = 1024 * 1024;

/// `id`, `name` and so many OPTIONAL arrays of `mib` MiB a value.
pub(crate) fn with_arrays(count: usize, mib: u32) -> Arc<Schema> {
    let mut fields = order_schema().fields.clone();
    fields.extend((0..count).map(|number| Field {
        name: format!("wide{number}"),
        data_type: DataType::Array(Box::new(DataType::F64), vec![mib << 17]),
        optional: true,
        sensitive: false,
    }));
    let name = "wide".to_owned();
    Arc::new(Schema { name, fields })
}

/// The emitter sets `id` and `name` alone of this schema.
pub(crate) fn into(def: &mut EmitterDef, schema: &Arc<Schema>) {
    def.output = schema.clone();
    def.sink = SinkDef::Client(ClientSinkDef {
        schema: schema.clone(),
    });
    def.batch = Some(BatchLimits {
        max_messages: 1_000,
        max_bytes: 64 * MIB,
    });
}

fn ids(schema: &Schema, delivery: &Delivery) -> Vec<i64> {
    let records = decode(schema, delivery);
    records.column(0).as_primitive::<Int64Type>().values().to_vec()
}

#[tokio::test]
async fn a_batch_that_unfolds_past_the_bound_is_divided_and_its_rest_waits_for_room() {
    let schema = with_arrays(1, 8);
    let stage = stage(|def| {
        into(def, &schema);
        def.construction.filter = Some(positive());
    });
    let consumer = stage.consumer(8);
    // 1.1 GiB of nulls, most of which WHERE drops.
    let mut numbers = [0; 140];
    for (place, id) in [(0, 1), (20, 2), (40, 3), (60, 4), (65, 5), (100, 6)] {
        numbers[place] = id;
    }
    let written = stage.write(&numbers).await;
    let later = stage.write(&[7]).await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    assert_eq!(ids(&schema, &first), [1, 2, 3, 4, 5]);
    stage.flow().await;
    assert!(is_quiet(&consumer).await, "the rest waits");
    assert_eq!(written.verdict(), None);
    ack(&consumer, &first).await;
    drop(first);
    stage.clock.settle().await;
    stage.flow().await;
    let second = delivery(&consumer).await;
    assert_eq!(ids(&schema, &second), [6, 7], "in order");
    ack(&consumer, &second).await;
    stage.clock.settle().await;
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(140));
    assert_eq!(later.verdict().map(|verdict| verdict.done), Some(1));
}

#[tokio::test]
async fn a_record_that_unfolds_past_the_bound_alone_follows_on_message_error() {
    let schema = with_arrays(129, 8);
    let stage = stage(|def| {
        into(def, &schema);
        def.on_message_error = send_to(failures_def(64), input("id", 0, DataType::I64));
    });
    let mut failures = stage.failures_consumer();
    let written = stage.write(&[4]).await;
    stage.flow().await;
    let mut failed: Vec<i64> = Vec::new();
    while let Some(batch) = failures.try_recv() {
        let text = |column: usize| {
            batch
                .records
                .column(column)
                .as_string::<i32>()
                .value(0)
                .to_owned()
        };
        assert_eq!(
            (text(1), text(2)),
            ("validation".to_owned(), "construct".to_owned())
        );
        assert!(text(3).contains("1 GiB"), "{}", text(3));
        failed.extend(batch.records.column(4).as_primitive::<Int64Type>().values());
        batch.share.settle(nervix_ack::Fate::Done);
    }
    assert_eq!(failed, [4]);
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(1));
    assert_eq!(stage.counters.snapshot().unresolved, 0);
}

#[tokio::test]
async fn columns_of_nulls_are_counted_in_the_budget_of_the_node() {
    let schema = with_arrays(1, 1);
    let stage = stage(|def| into(def, &schema));
    let _written = stage.write(&[1, 2]).await;
    let held = stage.budget.used();
    assert!(held >= 2 * MIB, "{held} bytes for two arrays of 1 MiB");
}
