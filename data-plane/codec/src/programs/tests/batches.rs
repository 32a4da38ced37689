//! Groups, sizes, and who is blamed.

use nspl_model::record_error::ErrorCode;
use nspl_model::{CodecDef, JaqFormat};
use proptest::prelude::prop;
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::{limits, native, pack, programs, shown, small, small_rows};
use crate::Packed;

fn json(emitting: &str, batch: Option<&str>) -> CodecDef {
    native(JaqFormat::Json, small(), programs(emitting, batch, None))
}

#[tokio::test]
async fn a_record_whose_value_cannot_be_made_is_rejected_alone() {
    let def = json(
        "if .id == 1 then empty elif .id == 2 then error(.text) elif .id == 3 then 1, 2 elif .id == 4 then nan else .id end",
        None,
    );
    let rows = [small_rows(&[Some("secret"); 6])];
    let alone = [
        "1: evaluation: ON EMITTING produced no output",
        "1: evaluation: ON EMITTING failed",
        "1: evaluation: ON EMITTING produced more than one output",
        "1: validation: JSON cannot write a number that is not finite",
    ];
    let mut single = vec!["0"];
    single.extend(alone);
    single.push("5");
    assert_eq!(shown(&pack(&def, None, &rows).await), single);
    assert_eq!(
        shown(&pack(&def, limits(10, 100), &rows).await),
        ["[0,5]!1!2!3!4"]
    );
    // At the ends nothing spans them.
    assert_eq!(
        shown(&pack(&def, limits(1, 100), &rows).await),
        ["[0]", alone[0], alone[1], alone[2], alone[3], "[5]"]
    );
    let batch = json("if .id == 1 then empty else .id end", Some("{n: length, of: .}"));
    let rows = [small_rows(&[None; 4])];
    assert_eq!(
        shown(&pack(&batch, limits(10, 100), &rows).await),
        [r#"{"n":3,"of":[0,2,3]}!1"#]
    );
}

#[tokio::test]
async fn a_batch_that_cannot_be_made_is_rejected_whole() {
    let rows = [small_rows(&[Some("secret"); 3])];
    let cases = [
        (
            "empty",
            "3: evaluation: ON EMITTING BATCH produced no output for a batch of 3 messages",
        ),
        (
            ".[0], .[1]",
            "3: evaluation: ON EMITTING BATCH produced more than one output for a batch of 3 messages",
        ),
        (
            "error(.[0].text)",
            "3: evaluation: ON EMITTING BATCH failed for a batch of 3 messages",
        ),
        (
            "nan",
            "3: validation: ON EMITTING BATCH produced a number that is not finite, which JSON cannot write, for a batch of 3 messages",
        ),
    ];
    for (program, cause) in cases {
        assert_eq!(
            shown(&pack(&json(".", Some(program)), limits(10, 100), &rows).await),
            [cause]
        );
    }
    let one = [small_rows(&[None])];
    assert_eq!(
        shown(&pack(&json(".", Some("empty")), limits(10, 100), &one).await),
        ["1: evaluation: ON EMITTING BATCH produced no output for a batch of 1 message"]
    );
    // A left-out record between the members keeps its own fault.
    let def = json("if .id == 1 then empty else .id end", Some("empty"));
    assert_eq!(
        shown(&pack(&def, limits(10, 100), &rows).await),
        ["3!1: evaluation: ON EMITTING BATCH produced no output for a batch of 2 messages"]
    );
}

#[tokio::test]
async fn a_candidate_that_is_too_large_is_halved() {
    let rows = [small_rows(&[None; 5])];
    // [0,1,2,3,4] has 11 bytes, its first half [0,1,2] 7.
    for batch in [None, Some(".")] {
        let def = json(".id", batch);
        assert_eq!(shown(&pack(&def, limits(10, 11), &rows).await), ["[0,1,2,3,4]"]);
        assert_eq!(
            shown(&pack(&def, limits(10, 10), &rows).await),
            ["[0,1,2]", "[3,4]"]
        );
        assert_eq!(
            shown(&pack(&def, limits(2, 10), &rows).await),
            ["[0,1]", "[2,3]", "[4]"]
        );
        let too_large = "1: validation: JSON payload exceeds MAX SIZE 2B";
        assert_eq!(shown(&pack(&def, limits(2, 2), &rows).await), [too_large; 5]);
    }
    // Fewer members may take more bytes.
    let def = json(".id", Some("if length < 3 then \"much too much\" else 1 end"));
    assert_eq!(shown(&pack(&def, limits(3, 4), &rows).await)[0], "1");
}

#[tokio::test]
async fn now_is_the_snapshot_of_the_record_and_of_the_first_member() {
    let mut later = small_rows(&[None]);
    later.snapshot_ns += 60_000_000_000;
    let rows = [small_rows(&[None]), later];
    let def = json("now | floor", Some("[(now | floor), .[]]"));
    assert_eq!(
        shown(&pack(&def, None, &rows).await),
        ["1767225600", "1767225660"]
    );
    assert_eq!(
        shown(&pack(&def, limits(9, 99), &rows).await),
        ["[1767225600,1767225600,1767225660]"]
    );
}

#[tokio::test]
async fn what_is_too_deep_or_too_long_is_rejected() {
    let def = json("reduce range(200) as $n (0; [.])", None);
    let rows = [small_rows(&[None])];
    let deep = "1: validation: JSON cannot write a value nested more than 127 deep";
    assert_eq!(shown(&pack(&def, None, &rows).await), [deep]);
    let def = json("reduce range(200) as $n (0; [.])", Some("."));
    let deep = "1: validation: ON EMITTING produced a value nested more than 127 deep";
    assert_eq!(shown(&pack(&def, limits(9, 99), &rows).await), [deep]);
    let def = json("\"x\" * 70000000", None);
    assert_eq!(
        shown(&pack(&def, None, &rows).await),
        ["1: validation: JSON payload exceeds 64MiB"]
    );
}

#[tokio::test]
async fn a_job_that_does_not_see_all_that_waits_makes_the_same_groups() {
    // A job takes 5,000 rows of these; the halving of the last candidates must not depend on that.
    let texts = vec![Some("0123456789"); 12_000];
    let rows = [small_rows(&texts)];
    let members: Vec<String> = texts.iter().map(|_| "\"0123456789\"".to_owned()).collect();
    for (max_messages, max_bytes) in [(900, 4_000), (900, 100_000)] {
        let packed = pack(&json(".text", None), limits(max_messages, max_bytes), &rows).await;
        let wanted = halved(
            &members,
            max_messages as usize,
            usize::try_from(max_bytes).unwrap(),
        );
        assert!(shown(&packed) == wanted, "{max_messages} {max_bytes}");
    }
}

/// Packs by the letter of the specification: encode the candidate, halve it while it is too large.
fn halved(members: &[String], max_messages: usize, max_bytes: usize) -> Vec<String> {
    let (mut rest, mut results) = (members, Vec::new());
    while !rest.is_empty() {
        let mut count = rest.len().min(max_messages);
        loop {
            let payload = format!("[{}]", rest[..count].join(","));
            if payload.len() <= max_bytes {
                results.push(payload);
                break;
            }
            if count == 1 {
                results.push("too large".to_owned());
                break;
            }
            count = count.div_ceil(2);
        }
        rest = &rest[count..];
    }
    results
}

proptest! {
    #[test]
    fn groups_are_those_of_the_halving_with_and_without_a_transformation(
        lengths in prop::collection::vec(0_usize..40, 1..60),
        max_messages in 1_u32..20,
        max_bytes in 2_u64..200,
    ) {
        let texts: Vec<String> = lengths.iter().map(|length| "x".repeat(*length)).collect();
        let texts: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
        let members: Vec<String> = texts.iter().map(|text| format!("{text:?}").replace("Some(", "").replace(')', "")).collect();
        let wanted = halved(&members, max_messages as usize, usize::try_from(max_bytes).unwrap());
        let rows = [small_rows(&texts)];
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for batch in [None, Some(".")] {
            let results = runtime.block_on(pack(&json(".text", batch), limits(max_messages, max_bytes), &rows));
            let are_within = results.iter().all(|packed| match packed {
                Packed::Payload { bytes, .. } => bytes.len() as u64 <= max_bytes,
                Packed::Rejected { fault, .. } => fault.code == ErrorCode::Validation,
            });
            prop_assert!(are_within);
            let got: Vec<String> = shown(&results).into_iter()
                .map(|shown| if shown.starts_with("1: ") { "too large".to_owned() } else { shown })
                .collect();
            prop_assert_eq!(&got, &wanted);
        }
    }
}
