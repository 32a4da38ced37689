//! A candidate that has no payload (`emitters.txt`, Batch payloads): its members share one error reference, also with
//! records between them that could not become members.

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use nspl_model::DataType;

use crate::model::{failure_schema, input, relay_def, send_to};
use crate::outside::{SPOILING, UNWRITABLE};
use crate::payloads::{batched, sent};
use crate::stage::stage;

#[tokio::test]
async fn the_members_of_a_failed_candidate_share_one_reference_around_what_was_left_out() {
    let failures = relay_def("failures", failure_schema(), None, 64);
    let stage = stage(|def| {
        batched(4, 1_000)(def);
        def.on_message_error = send_to(failures.clone(), input("id", 0, DataType::I64));
    });
    let mut watch = stage.failures_consumer();
    stage.write(&[1, UNWRITABLE, SPOILING, 3]).await;
    stage.flow().await;
    stage.flow().await;
    let mut references = Vec::new();
    while let Some(batch) = watch.try_recv() {
        let texts = batch.records.column(0).as_string::<i32>();
        let ids = batch.records.column(4).as_primitive::<Int64Type>();
        let rows = ids.values().iter().zip(texts);
        references.extend(rows.map(|(id, text)| (*id, text.unwrap_or_default().to_owned())));
    }
    references.sort();
    let [spoiling, alone, first, last] = &references[..] else {
        panic!("{references:?}");
    };
    assert_eq!(
        [alone.0, first.0, spoiling.0, last.0],
        [UNWRITABLE, 1, SPOILING, 3]
    );
    assert_eq!([&first.1, &last.1], [&spoiling.1; 2]);
    assert_ne!(alone.1, first.1);
    assert_eq!(sent(&stage).len(), 0);
    let rejected = stage.handle.status().counters.rejected;
    let rejected: Vec<u64> = rejected.iter().map(|rejected| rejected.messages).collect();
    assert_eq!(rejected, [4]);
}
