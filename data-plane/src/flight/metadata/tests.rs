//! Every message of the protocol in both encodings, and what is said of malformed ones.

use nervix_proto::client::v1::{
    Ack, Answer, ClientMessage, Credit, Delivery, Outcome, Revoked, ServerMessage, answer, client_message,
    outcome, revoked, server_message,
};
use prost::Message;

use super::{Dialect, Encoding, METADATA_BYTES_MAX, Malformed, Request, write};

fn read(text: &str) -> Result<Request, Malformed> {
    Dialect::default().read(text.as_bytes())
}

fn client(body: client_message::Body) -> Vec<u8> {
    ClientMessage { body: Some(body) }.encode_to_vec()
}

fn json(body: server_message::Body) -> String {
    let bytes = write(&ServerMessage { body: Some(body) }, Encoding::Json);
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn every_request_of_the_specification_reads_from_json() {
    assert_eq!(read(r#"{"credit":{"batches":8}}"#), Ok(Request::Credit(8)));
    assert_eq!(
        read(r#"{"ack":{"refs":["r1","r2"]}}"#),
        Ok(Request::Ack(vec!["r1".into(), "r2".into()]))
    );
    assert_eq!(
        read(r#"{"retry":{"refs":["r3"]}}"#),
        Ok(Request::Retry(vec!["r3".into()]))
    );
    assert_eq!(read(r#"{"hello":{}}"#), Ok(Request::Hello));
    let rejected = read(r#"{"reject":{"refs":["r4"],"reason":"bad-customer"}}"#);
    assert_eq!(
        rejected,
        Ok(Request::Reject {
            refs: vec!["r4".into()],
            reason: "bad-customer".into()
        })
    );
}

#[test]
fn every_server_message_prints_its_defaults_and_64_bits_as_strings() {
    let answer = Answer {
        first: 0,
        last: 4,
        status: answer::Status::Done.into(),
        ..Answer::default()
    };
    assert_eq!(
        json(server_message::Body::Answer(answer)),
        r#"{"answer":{"first":"0","last":"4","status":"DONE","code":"","message":"","retryAfterMs":"0"}}"#
    );
    let delivery = Delivery {
        r#ref: "r1".into(),
        batch: "b7".into(),
        attempt: 1,
        source: "orders".into(),
        branch: String::new(),
        rows: 120,
        ack_timeout_ms: 30_000,
    };
    assert_eq!(
        json(server_message::Body::Delivery(delivery)),
        r#"{"delivery":{"ref":"r1","batch":"b7","attempt":1,"source":"orders","branch":"","rows":120,"ackTimeoutMs":"30000"}}"#
    );
    let outcome = Outcome {
        r#ref: "r1".into(),
        result: outcome::Result::Confirmed.into(),
    };
    assert_eq!(
        json(server_message::Body::Outcome(outcome)),
        r#"{"outcome":{"ref":"r1","result":"CONFIRMED"}}"#
    );
    let revoked = Revoked {
        r#ref: "r9".into(),
        reason: revoked::Reason::Timeout.into(),
    };
    assert_eq!(
        json(server_message::Body::Revoked(revoked)),
        r#"{"revoked":{"ref":"r9","reason":"TIMEOUT"}}"#
    );
}

#[test]
fn the_first_metadata_decides_the_encoding_and_nothing_means_json() {
    let mut silent = Dialect::default();
    assert_eq!(silent.read(b""), Ok(Request::Nothing));
    assert_eq!(silent.encoding(), Encoding::Json);
    let credit = client(client_message::Body::Credit(Credit { batches: 3 }));
    assert_eq!(silent.read(&credit), Ok(Request::Credit(3)));
    assert_eq!(silent.encoding(), Encoding::Protobuf);

    let mut readable = Dialect::default();
    readable.read(br#"{"hello":{}}"#).unwrap();
    readable.read(&credit).unwrap();
    assert_eq!(readable.encoding(), Encoding::Json);
}

#[test]
fn what_is_malformed_is_named() {
    let says = |text: &str| read(text).unwrap_err().to_string();
    assert!(says("{").contains("EOF"), "{}", says("{"));
    assert!(says(r#"{"credti":{}}"#).contains("credti"));
    assert!(says(r#"{"credit":{"batches":-1}}"#).contains("credit.batches"));
    assert!(says(r#"{"credit": {"batches": "many"}}"#).contains("credit.batches"));
    assert!(says(r#"{"ack":{"refs":["a",7]}}"#).contains("ack.refs[1]"));
    assert!(says(r#"{"hello":{}} x"#).contains("trailing"));
    assert!(says(r#"{"ack":{"refs":["a"]},"retry":{"refs":["a"]}}"#).contains("JSON"));
    let huge = format!(r#"{{"hello":{{}}{}}}"#, " ".repeat(METADATA_BYTES_MAX));
    assert!(says(&huge).contains("fewer refs"));
    assert!(
        Dialect::default()
            .read(&[0x0a, 0xff])
            .unwrap_err()
            .to_string()
            .contains("protobuf")
    );
}

#[test]
fn unknown_protobuf_fields_are_ignored() {
    let mut bytes = client(client_message::Body::Ack(Ack {
        refs: vec!["r".into()],
    }));
    bytes.extend_from_slice(&[0xf8, 0x07, 0x01]);
    assert_eq!(
        Dialect::default().read(&bytes),
        Ok(Request::Ack(vec!["r".into()]))
    );
    assert_eq!(Dialect::default().read(&[0xf8, 0x07, 0x01]), Ok(Request::Nothing));
}

#[test]
fn a_parsers_complaint_is_bounded() {
    let text = format!(r#"{{"{}":1}}"#, "y".repeat(5000));
    assert!(read(&text).unwrap_err().to_string().len() < 400);
}
