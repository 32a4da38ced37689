//! Whether the fields that would delimit a body are well-formed (RFC 9112 section 6).
//!
//! No body is read; but a final head whose framing contradicts itself is not an answer (`emitters.txt`, "HTTP requests").

use httparse::Header;

/// What is wrong with the framing of a final head; `is_old`: of HTTP/1.0.
pub(crate) fn framing_fault(fields: &[Header<'_>], is_old: bool) -> Option<&'static str> {
    let values = |wanted: &'static str| {
        let same = move |field: &&Header<'_>| field.name.eq_ignore_ascii_case(wanted);
        fields.iter().filter(same).map(|field| field.value)
    };
    let mut length = None;
    for value in values("Content-Length") {
        for part in value.split(|byte| *byte == b',') {
            let Some(read) = whole(part.trim_ascii()) else {
                return Some("Content-Length is not a whole number of 64 bits");
            };
            if length.is_some_and(|known| known != read) {
                return Some("Content-Length stands more than once with different values");
            }
            length = Some(read);
        }
    }
    let mut codings = values("Transfer-Encoding").peekable();
    codings.peek()?;
    if is_old {
        return Some("Transfer-Encoding stands in a response of HTTP/1.0");
    }
    if length.is_some() {
        return Some("Content-Length stands beside Transfer-Encoding");
    }
    let mut chunked = 0;
    for coding in codings.flat_map(|value| value.split(|byte| *byte == b',')) {
        let name = coding.split(|byte| *byte == b';').next().unwrap_or_default();
        let name = name.trim_ascii();
        if name.is_empty() {
            return Some("Transfer-Encoding names no coding");
        }
        chunked += usize::from(name.eq_ignore_ascii_case(b"chunked"));
    }
    (chunked > 1).then_some("Transfer-Encoding is chunked more than once")
}

fn whole(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use httparse::Header;

    use super::framing_fault;

    fn fault(fields: &[(&str, &str)], is_old: bool) -> Option<&'static str> {
        let fields: Vec<Header<'_>> = fields
            .iter()
            .map(|(name, value)| Header {
                name,
                value: value.as_bytes(),
            })
            .collect();
        framing_fault(&fields, is_old)
    }

    #[test]
    fn framing_that_says_one_thing_is_well_formed() {
        let good: [&[(&str, &str)]; 8] = [
            &[],
            &[("content-length", "0")],
            &[("Content-Length", "18446744073709551615")],
            &[("Content-Length", "5"), ("content-length", "5")],
            &[("Content-Length", "5, 5")],
            &[("Transfer-Encoding", "chunked")],
            &[("Transfer-Encoding", "gzip, Chunked")],
            &[
                ("Transfer-Encoding", "gzip;q=1"),
                ("transfer-encoding", "chunked"),
            ],
        ];
        for fields in good {
            assert_eq!(fault(fields, false), None, "{fields:?}");
        }
        assert_eq!(fault(&[("Content-Length", "5")], true), None);
    }

    #[test]
    fn framing_that_contradicts_itself_is_a_fault() {
        let bad: [&[(&str, &str)]; 10] = [
            &[("Content-Length", "")],
            &[("Content-Length", "-1")],
            &[("Content-Length", "+1")],
            &[("Content-Length", "0x5")],
            &[("Content-Length", "18446744073709551616")],
            &[("Content-Length", "5"), ("Content-Length", "6")],
            &[("Content-Length", "5,")],
            &[("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
            &[("Transfer-Encoding", "")],
            &[("Transfer-Encoding", "chunked, chunked")],
        ];
        for fields in bad {
            assert!(fault(fields, false).is_some(), "{fields:?}");
        }
        assert!(fault(&[("Transfer-Encoding", "chunked")], true).is_some());
    }
}
