use proptest::prelude::{any, prop, prop_assert_eq, proptest};

use super::{is_special, plain_len, write};
use crate::bounded::{BoundedWriter, Full};

fn written(text: &str) -> String {
    let mut out = BoundedWriter::boundless();
    write(&mut out, text.as_bytes()).unwrap();
    String::from_utf8(out.bytes().to_vec()).unwrap()
}

#[test]
fn only_what_must_be_escaped_is() {
    assert_eq!(written(""), r#""""#);
    assert_eq!(written("a/é🦀\u{7f}\u{80}"), "\"a/é🦀\u{7f}\u{80}\"");
    assert_eq!(
        written("\"\\\u{8}\t\n\u{c}\r\0\u{1f}"),
        r#""\"\\\b\t\n\f\r\u0000\u001f""#
    );
}

#[test]
fn an_escape_is_written_whole_or_not_at_all() {
    let mut out = BoundedWriter::default();
    out.allow(5);
    assert_eq!(write(&mut out, b"ab\x01"), Err(Full));
    assert_eq!(out.bytes(), b"\"ab");
}

proptest! {
    #[test]
    fn strings_are_written_like_serde_writes_them(text in "[\\x00-\\x7f\"\\\\é🦀]{0,40}") {
        prop_assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
    }

    #[test]
    fn the_first_special_byte_is_found(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let expected = bytes.iter().position(|byte| is_special(*byte)).unwrap_or(bytes.len());
        prop_assert_eq!(plain_len(&bytes), expected);
    }
}
