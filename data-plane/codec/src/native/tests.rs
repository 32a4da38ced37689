use jaq_json::{Map, Num, Val};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::fault::{ReadFault, WriteFault};
use super::nesting::{DEPTH_MAX, is_bounded};
use super::{cbor, json, toml, xml, yaml};
use crate::bounded::BoundedWriter;

type Write = fn(&Val, &mut BoundedWriter) -> Result<(), WriteFault>;
type Read = fn(&[u8]) -> Result<Val, ReadFault>;

const READERS: [Read; 5] = [json::read, yaml::read, toml::read, xml::read, cbor::read];
const WRITERS: [Write; 5] = [json::write, yaml::write, toml::write, xml::write, cbor::write];

fn val(text: &str) -> Val {
    jaq_json::read::parse_single(text.as_bytes()).unwrap()
}

fn bytes(write: Write, value: &Val) -> Result<Vec<u8>, WriteFault> {
    let mut out = BoundedWriter::default();
    out.allow(usize::MAX);
    write(value, &mut out).map(|()| out.bytes().to_vec())
}

fn text(write: Write, value: &str) -> String {
    String::from_utf8(bytes(write, &val(value)).unwrap()).unwrap()
}

fn fault(write: Write, value: &str) -> &'static str {
    match bytes(write, &val(value)) {
        Err(WriteFault::Value(what)) => what,
        other => panic!("{other:?}"),
    }
}

const RECORD: &str = r#"{"id": 18446744073709551615, "name": "a \"b\"\n<c> & d", "on": true, "at": -1.5,
    "tags": ["x", 1, []], "in": {"k y": {"z": 2}, "rows": [{"a": 1}, {"a": {"b": "2"}}]}}"#;

#[test]
fn json_is_compact_and_keeps_order_and_digits() {
    assert_eq!(
        text(json::write, RECORD),
        concat!(
            r#"{"id":18446744073709551615,"name":"a \"b\"\n<c> & d","on":true,"at":-1.5,"#,
            r#""tags":["x",1,[]],"in":{"k y":{"z":2},"rows":[{"a":1},{"a":{"b":"2"}}]}}"#
        )
    );
    assert_eq!(
        text(
            json::write,
            "[1.0, 1e3, -0.0, 0.10, 123456789012345678901234567890, null]"
        ),
        "[1.0,1e3,-0.0,0.10,123456789012345678901234567890,null]"
    );
    assert_eq!(
        text(json::write, r#""\u0000\u001f\u007f\u2028é""#),
        "\"\\u0000\\u001f\u{7f}\u{2028}é\""
    );
    assert_eq!(text(json::write, r#"b"\xff\x00""#), r#""/wA=""#);
    assert_eq!(bytes(json::write, &Val::from(1e21)).unwrap(), b"1e21");
    assert_eq!(bytes(json::write, &Val::from(2.0)).unwrap(), b"2.0");
    assert_eq!(
        bytes(json::write, &Val::Num(Num::Dec("+1.5".to_owned().into()))).unwrap(),
        b"1.5"
    );
}

#[test]
fn what_a_format_has_not_is_a_fault_that_quotes_nothing() {
    assert_eq!(fault(json::write, "[NaN]"), "a number that is not finite");
    assert_eq!(fault(json::write, "{1: 2}"), "a key that is no string");
    assert_eq!(
        bytes(json::write, &Val::utf8_str(vec![0xff])),
        Err(WriteFault::NOT_UTF8)
    );
    assert_eq!(fault(toml::write, r#"{"a": null}"#), "null");
    assert_eq!(fault(toml::write, "[1]"), "a value that is no table");
    assert_eq!(
        fault(toml::write, r#"{"a": 9223372036854775808}"#),
        "a whole number beyond 64 bits"
    );
    assert_eq!(
        fault(xml::write, r#"{"a": 1}"#),
        "a value that is no XML document"
    );
    assert_eq!(fault(xml::write, r#""text""#), "a value that is no XML document");
    assert_eq!(fault(xml::write, r#"{"t": "a b"}"#), "a name that is none in XML");
    assert_eq!(
        fault(xml::write, r#"{"t": "a", "c": "\u0000"}"#),
        "a character that XML has not"
    );
    assert_eq!(
        fault(xml::write, r#"[{"t": "a"}, {"t": "b"}]"#),
        "a document that has not exactly one element"
    );
    assert_eq!(
        fault(xml::write, r#"{"t": "a", "c": {"comment": "--"}}"#),
        "text that would end an XML section"
    );
    for write in WRITERS {
        let mut deep = val(r#"{"t": "a"}"#);
        for _ in 0..=DEPTH_MAX {
            deep = Val::obj([(Val::from("c".to_owned()), deep)].into_iter().collect::<Map>());
        }
        assert!(!is_bounded(&deep));
        assert!(matches!(bytes(write, &deep), Err(WriteFault::Value(_))));
    }
}

#[test]
fn yaml_is_written_in_blocks() {
    assert_eq!(
        text(yaml::write, RECORD),
        concat!(
            "id: 18446744073709551615\n",
            "name: \"a \\\"b\\\"\\n<c> & d\"\n",
            "\"on\": true\n",
            "at: -1.5\n",
            "tags:\n  - x\n  - 1\n  - []\n",
            "in:\n  k y:\n    z: 2\n  rows:\n    - a: 1\n    - a:\n        b: \"2\"\n",
        )
    );
}

#[test]
fn yaml_quotes_text_that_reads_as_something_else() {
    let quoted = [
        "",
        "1",
        "+1",
        ".5",
        "1e3",
        "0x1f",
        "null",
        "Yes",
        "NO",
        "y",
        "~",
        "a ",
        " a",
        "a: b",
        "a #b",
        "- a",
        "=",
        "<<",
        "2026-01-01",
        "\u{85}",
        "@a",
        "é",
    ];
    for plain in quoted {
        let written = bytes(yaml::write, &Val::from(plain.to_owned())).unwrap();
        assert!(written.starts_with(b"\""), "{plain}");
    }
    for plain in ["a", "a b", "Orders/eu-west.1", "x_y"] {
        let written = bytes(yaml::write, &Val::from(plain.to_owned())).unwrap();
        assert_eq!(written, format!("{plain}\n").into_bytes());
    }
    assert_eq!(
        text(yaml::write, "[1e21, 1.5, NaN, Infinity]"),
        "- 1.0e+21\n- 1.5\n- .nan\n- .inf\n"
    );
    assert_eq!(text(yaml::write, r#"b"\xff""#), "!!binary \"/w==\"\n");
    assert_eq!(
        text(yaml::write_element, r#"{"a": [1, {"b": 2}], "c": {}}"#),
        "- a:\n    - 1\n    - b: 2\n  c: {}\n"
    );
    assert_eq!(
        text(yaml::write_element, "[[1, 2], []]"),
        "- - - 1\n    - 2\n  - []\n"
    );
}

#[test]
fn toml_has_plain_entries_before_tables() {
    assert_eq!(
        text(toml::write, &RECORD.replace("18446744073709551615", "7")),
        concat!(
            "id = 7\n",
            "name = \"a \\\"b\\\"\\n<c> & d\"\n",
            "on = true\n",
            "at = -1.5\n",
            "tags = [\"x\", 1, []]\n",
            "\n[in]\n",
            "\n[in.\"k y\"]\nz = 2\n",
            "\n[[in.rows]]\na = 1\n",
            "\n[[in.rows]]\n",
            "\n[in.rows.a]\nb = \"2\"\n",
        )
    );
    let member = |value: &Val, out: &mut BoundedWriter| toml::write_element("batch", value, out);
    assert_eq!(
        text(member, r#"{"a": 1, "b": {"c": 2}}"#),
        "[[batch]]\na = 1\n\n[batch.b]\nc = 2\n"
    );
    assert_eq!(
        text(toml::write, r#"{"x": [{"a": 1}, 2], "f": NaN, "": "\u007f"}"#),
        "x = [{a = 1}, 2]\nf = nan\n\"\" = \"\\u007f\"\n"
    );
}

#[test]
fn xml_escapes_what_is_text() {
    assert_eq!(
        text(
            xml::write,
            r#"[{"xmldecl": {"version": "1.0"}}, {"comment": " c "}, {"t": "a", "a": {"k": "<\"&\n"}, "c": ["x<y>&", 1, true,
                {"t": "b"}, {"t": "c", "c": []}, {"cdata": "<>"}, {"pi": {"target": "p", "content": "q"}}, null]}]"#
        ),
        concat!(
            r#"<?xml version="1.0"?><!-- c --><a k="&lt;&quot;&amp;&#10;">x&lt;y&gt;&amp;1true"#,
            "<b/><c></c><![CDATA[<>]]><?p q?></a>"
        )
    );
    assert_eq!(
        xml::read(b"<?xml version='1.0'?>\n<a k='&lt;&#65;'>x&amp;y<b/><![CDATA[<]]></a>").unwrap(),
        val(
            r#"[{"xmldecl": {"version": "1.0"}}, {"t": "a", "a": {"k": "<A"}, "c": ["x&y", {"t": "b"}, {"cdata": "<"}]}]"#
        )
    );
    for wrong in [
        "<a>",
        "<a></b>",
        "a",
        "<a/><b/>",
        "<a>&nbsp;</a>",
        "<!DOCTYPE a><a/>",
        "<a b='1' b='2'/>",
        "",
    ] {
        assert!(xml::read(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn names_in_xml_are_those_of_namespaces() {
    let named = |name: &str| format!(r#"{{"t": "{name}", "a": {{"{name}": 1}}}}"#);
    for name in [
        "a:b",
        "_",
        "é-1.\u{b7}",
        "क\u{93f}",
        "e\u{301}",
        "x\u{203f}y",
        "\u{10000}",
    ] {
        let written = bytes(xml::write, &val(&named(name))).unwrap();
        assert_eq!(written, format!("<{name} {name}=\"1\"/>").as_bytes());
        let read = xml::read(&written).unwrap();
        assert_eq!(
            read,
            val(&format!(r#"{{"t": "{name}", "a": {{"{name}": "1"}}}}"#))
        );
    }
    for none in [
        "", ":", ":a", "a:", "a:b:c", "a:1", "1", "-a", "a b", "a<", "\u{aa}", "\u{b5}", "\u{301}e",
        "\u{d7}", "\u{37e}",
    ] {
        assert_eq!(
            fault(xml::write, &named(none)),
            "a name that is none in XML",
            "{none}"
        );
        for wrong in [
            format!("<{none}/>"),
            format!("<a {none}='1'/>"),
            format!("<a></{none}>"),
        ] {
            assert!(xml::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
    let target = |target: &str| format!(r#"[{{"pi": {{"target": "{target}"}}}}, {{"t": "a"}}]"#);
    assert_eq!(text(xml::write, &target("p")), "<?p?><a/>");
    assert_eq!(fault(xml::write, &target("p:q")), "a name that is none in XML");
}

#[test]
fn a_declaration_of_xml_is_true_of_what_is_written_and_read() {
    let declared = |parts: &str| format!(r#"[{{"xmldecl": {{{parts}}}}}, {{"t": "a"}}]"#);
    assert_eq!(
        text(
            xml::write,
            &declared(r#""standalone": true, "encoding": "utf-8", "version": "1.0""#)
        ),
        r#"<?xml version="1.0" encoding="utf-8" standalone="yes"?><a/>"#
    );
    for wrong in [
        r#""version": "2.0""#,
        r#""version": "1.""#,
        r#""version": 1.0, "encoding": "ISO-8859-1""#,
        r#""version": "1.0", "encoding": "ISO-8859-1""#,
        r#""version": "1.0", "standalone": "maybe""#,
        r#""encoding": "UTF-8""#,
    ] {
        let fault = fault(xml::write, &declared(wrong));
        assert_eq!(fault, "an XML declaration that is none", "{wrong}");
    }
    assert!(xml::read(b"<?xml version='1.0' encoding='UTF-8'?><a/>").is_ok());
    assert_eq!(
        xml::read(b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>"),
        Err(ReadFault::Unsupported("an encoding other than UTF-8"))
    );
}

#[test]
fn cbor_has_the_shortest_heads() {
    let hex = |value: &str| {
        let written = bytes(cbor::write, &val(value)).unwrap();
        written
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    // RFC 8949, appendix A.
    assert_eq!(hex("1000000000000"), "1b000000e8d4a51000");
    assert_eq!(hex("18446744073709551615"), "1bffffffffffffffff");
    assert_eq!(hex("18446744073709551616"), "c249010000000000000000");
    assert_eq!(hex("-18446744073709551616"), "3bffffffffffffffff");
    assert_eq!(hex("-18446744073709551617"), "c349010000000000000000");
    assert_eq!(hex("-9223372036854775808"), "3b7fffffffffffffff");
    assert_eq!(hex("1.1"), "fb3ff199999999999a");
    assert_eq!(hex("1.5"), "f93e00");
    assert_eq!(hex(r#"{"a": 1, "b": [2, 3]}"#), "a26161016162820203");
    assert_eq!(hex(r#"b"\x01\x02""#), "420102");
    assert_eq!(cbor::read(&[0x9f, 0x01, 0xff]).unwrap(), val("[1]"));
    assert_eq!(cbor::read(&[0xc1, 0x01]).unwrap(), val("1"));
    for wrong in [
        &[0x9f, 0x01][..],
        &[0x01, 0x01],
        &[],
        &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ] {
        assert_eq!(cbor::read(wrong), Err(ReadFault::Malformed));
    }
}

#[test]
fn readers_are_strict_and_bounded() {
    for wrong in [
        "{a:1}",
        "[1,]",
        "01",
        "NaN",
        "+1",
        "# c\n1",
        "\"\\ud800\"",
        "1 2",
        "",
        "b\"\"",
    ] {
        assert_eq!(json::read(wrong.as_bytes()), Err(ReadFault::Malformed), "{wrong}");
    }
    assert_eq!(
        json::read(b"{\"a\":1,\"a\":18446744073709551616}").unwrap(),
        val(r#"{"a": 18446744073709551616}"#)
    );
    assert_eq!(
        yaml::read(b"a: &x [1]\nb: *x\n"),
        Err(ReadFault::Unsupported("an alias"))
    );
    assert_eq!(yaml::read(b"a: 1\n---\nb: 2\n"), Err(ReadFault::Malformed));
    assert_eq!(
        yaml::read(b"a: !!binary /w==\nb: 0x1f\nc: .inf\n").unwrap(),
        val(r#"{"a": b"\xff", "b": 31, "c": Infinity}"#)
    );
    assert_eq!(
        toml::read(b"[a]\nb = [1, {c = 2}]\n").unwrap(),
        val(r#"{"a": {"b": [1, {"c": 2}]}}"#)
    );
    let deep = [
        (json::read as Read, "[".repeat(100_000)),
        (yaml::read, "[".repeat(100_000)),
        (yaml::read, "- ".repeat(100_000)),
        (toml::read, format!("a = {}", "[".repeat(100_000))),
        (toml::read, format!("{}a = 1", "a.".repeat(100_000))),
        (xml::read, "<a>".repeat(100_000)),
    ];
    for (read, text) in deep {
        assert!(read(text.as_bytes()).is_err());
    }
    assert!(cbor::read(&[0x81; 100_000]).is_err());
    assert!(cbor::read(&[0xc1; 100_000]).is_err());
}

fn scalar() -> impl Strategy<Value = Val> {
    prop_oneof![
        any::<bool>().prop_map(Val::from),
        any::<i64>().prop_map(|whole| Val::Num(Num::from_integral(whole))),
        any::<f64>()
            .prop_filter("finite", |float| float.is_finite())
            .prop_map(Val::from),
        ".{0,12}".prop_map(Val::from),
        "[ -~]{0,12}".prop_map(Val::from),
        prop_oneof![Just("null"), Just("1e5"), Just("no"), Just("0o7"), Just("a: b")]
            .prop_map(|text| Val::from(text.to_owned())),
    ]
}

fn value() -> impl Strategy<Value = Val> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof!["[a-z]{1,3}", ".{0,4}"].prop_map(Val::from);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|elements| elements.into_iter().collect::<Val>()),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|fields| Val::obj(fields.into_iter().collect())),
        ]
    })
}

/// Equal, and a float equal to a whole number only by its value.
fn same(left: &Val, right: &Val) -> bool {
    left == right
}

proptest! {
    #[test]
    fn what_is_written_reads_back(value in value()) {
        for (write, read) in [(json::write as Write, json::read as Read), (yaml::write, yaml::read), (cbor::write, cbor::read)] {
            let written = bytes(write, &value).unwrap();
            let back = read(&written);
            prop_assert!(back.as_ref().is_ok_and(|back| same(back, &value)), "{:?} {back:?}", String::from_utf8_lossy(&written));
        }
        let table = Val::obj([(Val::from("a".to_owned()), value.clone())].into_iter().collect::<Map>());
        let written = bytes(toml::write, &table).unwrap();
        let back = toml::read(&written);
        prop_assert!(back.as_ref().is_ok_and(|back| same(back, &table)), "{} {back:?}", String::from_utf8_lossy(&written));
    }

    #[test]
    fn json_agrees_with_another_reader(value in value()) {
        let written = bytes(json::write, &value).unwrap();
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&written).is_ok());
    }

    #[test]
    fn text_in_xml_reads_back(content in "[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]{1,20}", attribute in "[ -~\n\t]{0,20}") {
        let object = |parts: [(&str, Val); 3]| {
            Val::obj(parts.map(|(key, value)| (Val::from(key.to_owned()), value)).into_iter().collect())
        };
        let attributes = Val::obj([(Val::from("k".to_owned()), Val::from(attribute))].into_iter().collect());
        let tree = object([
            ("t", Val::from("e".to_owned())),
            ("a", attributes),
            ("c", [Val::from(content)].into_iter().collect()),
        ]);
        let written = bytes(xml::write, &tree).unwrap();
        prop_assert_eq!(xml::read(&written).unwrap(), tree);
    }

    #[test]
    fn a_limit_is_never_passed_and_the_exact_size_fits(value in value()) {
        for write in WRITERS {
            let Ok(whole) = bytes(write, &value) else { continue };
            let mut out = BoundedWriter::default();
            out.allow(whole.len());
            prop_assert_eq!(write(&value, &mut out), Ok(()));
            if let Some(less) = whole.len().checked_sub(1) {
                let mut out = BoundedWriter::default();
                out.allow(less);
                prop_assert_eq!(write(&value, &mut out), Err(WriteFault::Full));
                prop_assert!(out.len() <= less);
            }
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(payload in prop::collection::vec(any::<u8>(), 0..200)) {
        for read in READERS {
            let _value = read(&payload);
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(payload in "[\\[\\]{}<>/!?&;:,.=\"'a1 \n#*|-]{0,80}") {
        for read in READERS {
            let _value = read(payload.as_bytes());
        }
    }

    #[test]
    fn no_damage_makes_a_reader_panic(value in value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for (write, read) in WRITERS.into_iter().zip(READERS) {
            let Ok(mut written) = bytes(write, &value) else { continue };
            if written.is_empty() {
                continue;
            }
            let at = at.index(written.len());
            written[at] = byte;
            let _value = read(&written);
        }
    }
}
