use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, TimestampNanosecondArray, UInt8Array};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use nervix_columns::arrow_schema;
use nspl_model::{BatchLimits, Field, SYSLOG_FIELDS, Schema};
use proptest::prelude::any;
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::{SyslogDecoder, SyslogEncoder, structured_data};
use crate::decode::{Decoded, Decoding, PayloadDecoder};
use crate::encode::{Packed, Packing, PayloadEncoder, Rows};

fn schema() -> Schema {
    let fields = SYSLOG_FIELDS.iter().map(|field| Field {
        name: field.name.to_owned(),
        data_type: field.data_type.clone(),
        optional: field.optional,
        sensitive: false,
    });
    Schema {
        name: "frames".to_owned(),
        fields: fields.collect(),
    }
}

/// facility, severity, timestamp, the five texts, message.
type Row = (u8, u8, Option<i64>, [Option<&'static str>; 5], &'static str);

const FULL: Row = (
    4,
    2,
    Some(1_065_910_455_003_456_789),
    [
        Some("host.example"),
        Some("su"),
        Some("1234"),
        Some("ID47"),
        Some("[a@1 k=\"v\\]\"][b]"),
    ],
    "'su root' fåiled\non /dev/pts/8",
);
const BARE: Row = (0, 0, None, [None; 5], "");

fn rows(rows: &[Row]) -> Rows {
    let text =
        |place: usize| -> ArrayRef { Arc::new(rows.iter().map(|row| row.3[place]).collect::<StringArray>()) };
    let at = rows.iter().map(|row| row.2).collect::<TimestampNanosecondArray>();
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(rows.iter().map(|row| Some(row.0)).collect::<UInt8Array>()),
        Arc::new(rows.iter().map(|row| Some(row.1)).collect::<UInt8Array>()),
        Arc::new(at.with_timezone("UTC")),
    ];
    columns.extend((0..5).map(text));
    columns.push(Arc::new(
        rows.iter().map(|row| Some(row.4)).collect::<StringArray>(),
    ));
    Rows {
        records: RecordBatch::try_new(arrow_schema(&schema()), columns).unwrap(),
        snapshot_ns: 0,
    }
}

fn pack(limits: Option<(u32, u64)>, rows: &[Rows]) -> Vec<String> {
    let limits = limits.map(|(max_messages, max_bytes)| BatchLimits {
        max_messages,
        max_bytes,
    });
    let encoder = SyslogEncoder::new(&schema(), limits).unwrap();
    let Packing::Done(packed) = encoder.pack(rows, 100) else {
        panic!("it was not done on the spot")
    };
    let total: usize = rows.iter().map(|run| run.records.num_rows()).sum();
    assert_eq!(packed.iter().map(Packed::rows).sum::<usize>(), total);
    let show = |packed: &Packed| match packed {
        Packed::Payload { bytes, left_out, .. } => {
            format!("{}{}", String::from_utf8_lossy(bytes), "!".repeat(left_out.len()))
        }
        Packed::Rejected { rows, fault, .. } => format!("{rows} {}: {}", fault.code.as_str(), fault.cause),
    };
    packed.iter().map(show).collect()
}

fn decode(payloads: &[&str]) -> Decoded {
    let payloads: Vec<Bytes> = payloads
        .iter()
        .map(|text| Bytes::copy_from_slice(text.as_bytes()))
        .collect();
    match SyslogDecoder::new(&schema()).unwrap().decode(&payloads, 0) {
        Decoding::Done(decoded) => decoded,
        Decoding::Job(_) => panic!("it was not done on the spot"),
    }
}

#[test]
fn a_record_is_a_frame() {
    assert_eq!(
        pack(None, &[rows(&[FULL, BARE])]),
        [
            concat!(
                "<34>1 2003-10-11T22:14:15.003456Z host.example su 1234 ID47 [a@1 k=\"v\\]\"][b] ",
                "'su root' fåiled\non /dev/pts/8"
            ),
            "<0>1 - - - - - -",
        ]
    );
}

#[test]
fn what_no_frame_can_hold_is_rejected_alone_with_its_field() {
    let with = |change: fn(&mut Row)| {
        let mut row = FULL;
        change(&mut row);
        row
    };
    let wrong = rows(&[
        with(|row| row.0 = 24),
        with(|row| row.1 = 8),
        with(|row| row.3[0] = Some("")),
        with(|row| row.3[1] = Some("a b")),
        with(|row| row.3[2] = Some("é")),
        with(|row| row.3[3] = Some("123456789012345678901234567890123")),
        with(|row| row.3[4] = Some("[a")),
    ]);
    assert_eq!(
        pack(None, &[wrong]),
        [
            "1 validation: field 'facility' is above 23",
            "1 validation: field 'severity' is above 7",
            "1 validation: field 'hostname' is not 1 to 255 printable ASCII characters without blanks",
            "1 validation: field 'app_name' is not 1 to 48 printable ASCII characters without blanks",
            "1 validation: field 'proc_id' is not 1 to 128 printable ASCII characters without blanks",
            "1 validation: field 'msg_id' is not 1 to 32 printable ASCII characters without blanks",
            "1 validation: field 'structured_data' is no structured data of RFC 5424",
        ]
    );
}

#[test]
fn a_batch_is_one_frame_of_the_first_header_around_an_array_of_frames() {
    let (mut first, mut second, mut bad, mut other) = (FULL, FULL, FULL, FULL);
    first.4 = "a";
    second.4 = "\"b\"";
    second.2 = None;
    bad.1 = 9;
    other.3[1] = Some("cron");
    other.4 = "c";
    let head = "2003-10-11T22:14:15.003456Z host.example";
    let data = r#"[a@1 k=\"v\\]\"][b]"#;
    let wanted = [
        format!(
            concat!(
                "<34>1 {head} su 1234 ID47 - [\"<34>1 {head} su 1234 ID47 {data} a\",",
                "\"<34>1 - host.example su 1234 ID47 {data} \\\"b\\\"\"]!"
            ),
            head = head,
            data = data
        ),
        format!("<34>1 {head} cron 1234 ID47 - [\"<34>1 {head} cron 1234 ID47 {data} c\"]"),
    ];
    assert_eq!(
        pack(Some((10, 1000)), &[rows(&[first, bad]), rows(&[second, other])]),
        wanted
    );
    // Of exactly the limit, and one byte less.
    let size = wanted[0].len() as u64 - 1;
    let both = rows(&[first, bad, second]);
    assert_eq!(pack(Some((10, size)), std::slice::from_ref(&both)).len(), 1);
    assert_eq!(pack(Some((10, size - 1)), &[both]).len(), 3);
    assert_eq!(
        pack(Some((10, 20)), &[rows(&[first])]),
        ["1 validation: SYSLOG payload exceeds MAX SIZE 20B"]
    );
}

#[test]
fn frames_read_back() {
    let written = pack(None, &[rows(&[FULL, BARE])]);
    let decoded = decode(&written.iter().map(String::as_str).collect::<Vec<_>>());
    let mut cut = FULL;
    cut.2 = Some(1_065_910_455_003_456_000);
    assert_eq!(decoded.records, rows(&[cut, BARE]).records);
    let decoded = decode(&[
        "<34>1 - - - - - - \u{feff}text",
        "<165>1 2003-08-24T05:14:15.000003-07:00 a b c d [x] y z",
    ]);
    assert_eq!(decoded.payloads, [0, 1]);
    let wrong = [
        "",
        "<34>",
        "<34>1",
        "<34>2 - - - - - -",
        "<034>1 - - - - - -",
        "<192>1 - - - - - -",
        "<1>1 - - - - -",
        "<1>1  - - - - -",
        "<1>1 x - - - - -",
        "<1>1 - - - - - [",
        "<1>1 - - - - - [a][a]",
        "<1>1 - - - - - [a]x",
        "<+1>1 - - - - - -",
    ];
    assert_eq!(decode(&wrong).rejected.len(), wrong.len());
    assert_eq!(
        decode(&wrong).rejected[0].fault.cause,
        "the payload is not SYSLOG"
    );
}

#[test]
fn a_field_that_the_schema_leaves_out_is_not_read_and_one_that_it_demands_must_be_there() {
    let mut small = schema();
    small
        .fields
        .retain(|field| !matches!(field.name.as_str(), "timestamp" | "app_name" | "structured_data"));
    small.fields[2].optional = false;
    let decoder = SyslogDecoder::new(&small).unwrap();
    let payloads =
        ["<34>1 - host - - - - a", "<34>1 - - su - - - b"].map(|text| Bytes::from_static(text.as_bytes()));
    let Decoding::Done(decoded) = decoder.decode(&payloads, 0) else {
        panic!("it was not done on the spot")
    };
    assert_eq!(
        (decoded.records.num_rows(), decoded.records.num_columns()),
        (1, 6)
    );
    assert_eq!(
        decoded.rejected[0].fault.cause,
        "the payload has no field 'hostname'"
    );
    small.fields.retain(|field| field.name != "message");
    assert!(SyslogDecoder::new(&small).is_none() && SyslogEncoder::new(&small, None).is_none());
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "<?[0-9<>]{0,4}1? ?[-a-z0-9:TZ .]{0,30}[\\[\\]\"\\\\= a]{0,20}\\PC{0,5}") {
        let decoded = decode(&[&text]);
        prop_assert_eq!(decoded.records.num_rows() + decoded.rejected.len(), 1);
    }

    #[test]
    fn structured_data_is_within_its_text(text in any::<String>()) {
        prop_assert!(structured_data::length(&text).is_none_or(|length| text.is_char_boundary(length)));
    }
}
