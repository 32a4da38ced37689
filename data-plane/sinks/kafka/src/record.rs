//! A payload as a record of Kafka: value, key and headers.

use std::borrow::Cow;

use nervix_sink::{Headers, Payload, PayloadId};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::BaseRecord;

/// The value in one piece.
pub(crate) fn value(payload: &Payload) -> Cow<'_, [u8]> {
    if payload.head.is_empty() {
        return Cow::Borrowed(&payload.body);
    }
    Cow::Owned([&payload.head[..], &payload.body[..]].concat())
}

/// The record of a payload. Without a branch there is no key, which is not the empty one; where it goes is then up to
/// librdkafka, as it is with a key.
pub(crate) fn record<'a>(
    topic: &'a str,
    payload: &'a Payload,
    value: &'a [u8],
) -> BaseRecord<'a, [u8], [u8], Box<PayloadId>> {
    let mut record = BaseRecord::with_opaque_to(topic, Box::new(payload.id)).payload(value);
    record.key = payload.lane.key.as_deref();
    record.headers = headers(&payload.headers);
    record
}

/// In written order, repeated names as often as they were written.
fn headers(written: &Headers) -> Option<OwnedHeaders> {
    if written.is_empty() {
        return None;
    }
    let headers = OwnedHeaders::new_with_capacity(written.len());
    Some(written.iter().fold(headers, |headers, header| {
        headers.insert(Header {
            key: &header.name,
            value: Some(header.value.as_bytes()),
        })
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use nervix_budget::Budget;
    use nervix_sink::{Header, Headers, Lane, LaneId, Payload, PayloadId};
    use rdkafka::message::Headers as _;

    use super::{record, value};

    fn payload(key: Option<&'static [u8]>, headers: &[(&str, &str)]) -> Payload {
        let lane = Lane {
            id: LaneId(1),
            source: "r".into(),
            branch: "".into(),
            key: key.map(Bytes::from_static),
        };
        let headers = headers.iter().map(|(name, value)| Header {
            name: (*name).into(),
            value: (*value).into(),
        });
        Payload {
            id: PayloadId(7),
            lane: Arc::new(lane),
            sequence: 1,
            rows: 1,
            head: Bytes::from_static(b"ab"),
            body: Bytes::from_static(b"cd"),
            headers: Headers::new(headers.collect()),
            held: Budget::new(1).charge(0),
        }
    }

    #[test]
    fn no_key_is_not_the_empty_key() {
        let unbranched = payload(None, &[]);
        let bytes = value(&unbranched);
        assert_eq!(&*bytes, b"abcd");
        let made = record("t", &unbranched, &bytes);
        assert!(made.key.is_none() && made.headers.is_none());
        let empty = payload(Some(b""), &[]);
        assert_eq!(record("t", &empty, &bytes).key, Some(&b""[..]));
    }

    #[test]
    fn headers_keep_their_order_and_their_repetitions() {
        let payload = payload(None, &[("a", "1"), ("ä", ""), ("a", "ü"), ("", "e")]);
        let bytes = value(&payload);
        let headers = record("t", &payload, &bytes).headers.expect("headers");
        let seen: Vec<(String, Vec<u8>)> = headers
            .iter()
            .map(|header| (header.key.to_owned(), header.value.unwrap_or(b"none").to_vec()))
            .collect();
        let written = [("a", "1"), ("ä", ""), ("a", "ü"), ("", "e")];
        let written = written.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        assert_eq!(seen, written);
    }
}
