//! Payloads and containers of each format, beside what they are by hand.

use nspl_model::{CodecDef, JaqFormat};
use nspl_protobuf::FileMap;

use super::{
    files, in_thread, limits, native, pack, pack_on, programs, protobuf, shown, small, small_rows, wide,
    wide_rows,
};
use crate::{Packed, encoder};

async fn single(format: JaqFormat, emitting: &str) -> Vec<String> {
    let def = native(format, wide(), programs(emitting, None, None));
    shown(&pack(&def, None, &[wide_rows()]).await)
}

#[tokio::test]
async fn a_record_is_an_object_of_its_fields() {
    assert_eq!(
        single(JaqFormat::Json, "{payload: .}").await,
        [
            concat!(
                r#"{"payload":{"u":18446744073709551615,"f":0.1,"d":0.1,"s":"<é>","b":"/wA=","#,
                r#""at":"2026-01-01T00:00:00.500Z","a":[1,2],"v":[-1],"o":-9223372036854775808}}"#
            ),
            r#"{"payload":{"u":0,"f":-2.0,"d":1e21,"s":"","b":"","at":"1970-01-01T00:00:00Z"}}"#,
        ]
    );
    assert_eq!(
        single(JaqFormat::Yaml, "{s, b, v}").await,
        [
            "s: \"<é>\"\nb: \"/wA=\"\nv:\n  - -1\n",
            "s: \"\"\nb: \"\"\nv: null\n"
        ]
    );
    assert_eq!(
        single(JaqFormat::Toml, "{f, at, in: {s}}").await,
        [
            "f = 0.1\nat = \"2026-01-01T00:00:00.500Z\"\n\n[in]\ns = \"<é>\"\n",
            "f = -2.0\nat = \"1970-01-01T00:00:00Z\"\n\n[in]\ns = \"\"\n"
        ]
    );
    assert_eq!(
        single(JaqFormat::Xml, r#"{t: "e", a: {f}, c: [.s]}"#).await,
        [r#"<e f="0.1">&lt;é&gt;</e>"#, r#"<e f="-2.0"></e>"#]
    );
    let def = native(JaqFormat::Cbor, wide(), programs("[.u, .b]", None, None));
    let packed = pack(&def, None, &[wide_rows()]).await;
    let Packed::Payload { bytes, .. } = &packed[0] else {
        panic!("{packed:?}")
    };
    assert_eq!(
        bytes[..],
        [0x82, 0x1b, 255, 255, 255, 255, 255, 255, 255, 255, 0x42, 0xff, 0]
    );
}

#[tokio::test]
async fn members_stand_in_the_container_of_their_format_also_a_single_one() {
    let rows = [small_rows(&[Some("a"), None]), small_rows(&[Some("c")])];
    let cases = [
        (
            JaqFormat::Json,
            "{id}",
            r#"[{"id":0},{"id":1},{"id":0}]"#,
            r#"[{"id":0}]"#,
        ),
        (
            JaqFormat::Yaml,
            "{id, in: {id}}",
            "- id: 0\n  in:\n    id: 0\n- id: 1\n  in:\n    id: 1\n- id: 0\n  in:\n    id: 0\n",
            "- id: 0\n  in:\n    id: 0\n",
        ),
        (
            JaqFormat::Toml,
            "{id}",
            "[[batch]]\nid = 0\n\n[[batch]]\nid = 1\n\n[[batch]]\nid = 0\n",
            "[[batch]]\nid = 0\n",
        ),
        (
            JaqFormat::Xml,
            r#"{t: "m", c: .id}"#,
            "<batch><m>0</m><m>1</m><m>0</m></batch>",
            "<batch><m>0</m></batch>",
        ),
    ];
    for (format, program, all, one) in cases {
        let def = native(format, small(), programs(program, None, None));
        assert_eq!(shown(&pack(&def, limits(10, 1000), &rows).await), [all]);
        assert_eq!(shown(&pack(&def, limits(10, 1000), &rows[1..]).await), [one]);
    }
    let def = native(JaqFormat::Cbor, small(), programs(".id", None, None));
    let packed = pack(&def, limits(10, 1000), &rows).await;
    let Packed::Payload { bytes, .. } = &packed[0] else {
        panic!("{packed:?}")
    };
    assert_eq!(bytes[..], [0x83, 0, 1, 0]);
}

fn event_files() -> FileMap {
    files(&[
        (
            "event.proto",
            "syntax = \"proto3\"; package p; import \"google/protobuf/timestamp.proto\"; import \"lib/kind.proto\";
             message Event { uint64 id = 1; optional string text = 2; google.protobuf.Timestamp at = 3; lib.Kind kind = 4; bytes raw = 5; }
             message Events { repeated Event events = 3; }
             message Envelope { string source = 1; repeated Event events = 2; }",
        ),
        ("lib/kind.proto", "syntax = \"proto3\"; package lib; enum Kind { NONE = 0; SOME = 1; }"),
    ])
}

#[tokio::test]
async fn protobuf_is_written_through_its_json_mapping() {
    let files = event_files();
    let program = r#"{id, text, at: "1970-01-01T00:00:01Z", kind: "SOME", raw: "/wA="}"#;
    let def = protobuf(small(), None, programs(program, None, None));
    let rows = [small_rows(&[Some("a"), None])];
    let packed = pack_on(&in_thread(), &def, Some(&files), None, &rows).await;
    let Packed::Payload { bytes, .. } = &packed[0] else {
        panic!("{packed:?}")
    };
    // id is the default; text, at {seconds: 1}, kind, raw.
    assert_eq!(
        bytes[..],
        [0x12, 1, b'a', 0x1a, 2, 8, 1, 0x20, 1, 0x2a, 2, 0xff, 0]
    );
    let Packed::Payload { bytes, .. } = &packed[1] else {
        panic!("{packed:?}")
    };
    assert_eq!(bytes[..], [8, 1, 0x1a, 2, 8, 1, 0x20, 1, 0x2a, 2, 0xff, 0]);
}

#[tokio::test]
async fn protobuf_members_are_the_one_field_of_batch_message_unless_a_program_builds_it() {
    let files = event_files();
    let rows = [small_rows(&[None, None])];
    let def = protobuf(small(), Some("p.Events"), programs("{id}", None, None));
    let packed = pack_on(&in_thread(), &def, Some(&files), limits(10, 100), &rows).await;
    let Packed::Payload { bytes, .. } = &packed[0] else {
        panic!("{packed:?}")
    };
    assert_eq!(bytes[..], [0x1a, 0, 0x1a, 2, 8, 1]);
    let built = Some(r#"{source: "s", events: .}"#);
    let def = protobuf(small(), Some("p.Envelope"), programs("{id}", built, None));
    let packed = pack_on(&in_thread(), &def, Some(&files), limits(10, 100), &rows).await;
    let Packed::Payload { bytes, .. } = &packed[0] else {
        panic!("{packed:?}")
    };
    assert_eq!(bytes[..], [0x0a, 1, b's', 0x12, 0, 0x12, 2, 8, 1]);
}

#[tokio::test]
async fn a_protobuf_codec_that_cannot_run_does_not_compile() {
    let files = event_files();
    let compile = |def: &CodecDef, files: Option<&FileMap>, limits| {
        encoder(def, files, limits, &in_thread())
            .err()
            .map(|fault| fault.to_string())
            .unwrap_or_default()
    };
    let def = protobuf(small(), Some("p.Envelope"), programs(".", None, None));
    assert_eq!(compile(&def, Some(&files), None), "");
    assert!(compile(&def, Some(&files), limits(1, 1)).contains("exactly one field, repeated p.Event"));
    assert!(compile(&def, None, None).contains("the files of resource 'protos' are not there"));
    let none = protobuf(small(), Some("p.None"), programs(".", None, None));
    assert!(compile(&none, Some(&files), None).contains("no message 'p.None'"));
    let unbatched = protobuf(small(), None, programs(".", None, None));
    assert!(compile(&unbatched, Some(&files), limits(1, 1)).contains("BATCH MESSAGE"));
}

#[tokio::test]
async fn what_does_not_fit_a_message_is_rejected_without_a_value() {
    let files = event_files();
    let def = protobuf(small(), None, programs(".text | fromjson", None, None));
    let values = [
        "{\"id\":-1}",
        "{\"none\":1}",
        "[]",
        "{\"id\":\"secret\"}",
        "{\"kind\":\"OTHER\"}",
        "{\"id\":18446744073709551616}",
    ];
    let rows = [small_rows(&values.map(Some))];
    for shown in shown(&pack_on(&in_thread(), &def, Some(&files), None, &rows).await) {
        assert!(
            shown.starts_with("1: validation: PROTOBUF cannot write a"),
            "{shown}"
        );
    }
}
