//! The head of a request as it stands on the wire.
//!
//! The transport writes Host, Connection and, where there is a body, Content-Length; Accept only where the application
//! did not. Everything else is the application's, in the order in which it was written.

use bytes::{BufMut, Bytes, BytesMut};
use nervix_sink::{Header, PreparedRequest};

/// The head of `request`; `host` is the value of its Host header.
pub(crate) fn head_of(request: &PreparedRequest, host: &str) -> Bytes {
    let written: usize = request
        .headers
        .iter()
        .map(|header| header.name.len() + header.value.len() + ": \r\n".len())
        .sum();
    let mut head = BytesMut::with_capacity(request.method.len() + request.target.len() + written + 256);
    for part in [&*request.method, " ", &*request.target, " HTTP/1.1\r\n"] {
        head.put_slice(part.as_bytes());
    }
    field(&mut head, "Host", host);
    field(&mut head, "Connection", "close");
    if let Some(body) = &request.body {
        field(&mut head, "Content-Length", &body.len().to_string());
    }
    let accepts = |header: &Header| header.name.eq_ignore_ascii_case("Accept");
    if !request.headers.iter().any(accepts) {
        field(&mut head, "Accept", "*/*");
    }
    for header in request.headers.iter() {
        field(&mut head, &header.name, &header.value);
    }
    head.put_slice(b"\r\n");
    head.freeze()
}

fn field(head: &mut BytesMut, name: &str, value: &str) {
    for part in [name, ": ", value, "\r\n"] {
        head.put_slice(part.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use nervix_sink::{Header, Headers, PreparedRequest};

    use super::head_of;

    fn head(body: Option<&'static str>, headers: &[(&str, &str)]) -> String {
        let headers = headers.iter().map(|(name, value)| Header {
            name: (*name).into(),
            value: (*value).into(),
        });
        let request = PreparedRequest {
            method: "pOST".into(),
            target: "/a%2Fb?".into(),
            headers: Headers::new(headers.collect()),
            body: body.map(|body| Bytes::from_static(body.as_bytes())),
        };
        String::from_utf8(head_of(&request, "h:1").to_vec()).expect("UTF-8")
    }

    #[test]
    fn the_transport_writes_its_own_fields_and_nothing_else() {
        assert_eq!(
            head(Some("1234"), &[("X-Ä", "ü"), ("empty", "")]),
            "pOST /a%2Fb? HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\nContent-Length: 4\r\nAccept: */*\r\nX-Ä: ü\r\nempty: \r\n\r\n"
        );
    }

    #[test]
    fn an_accept_of_the_application_stands_alone_and_no_body_has_no_length() {
        assert_eq!(
            head(None, &[("aCCEPT", "text/plain")]),
            "pOST /a%2Fb? HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\naCCEPT: text/plain\r\n\r\n"
        );
        assert!(head(Some(""), &[]).contains("\r\nContent-Length: 0\r\n"));
    }
}
