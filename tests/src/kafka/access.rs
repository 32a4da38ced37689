//! Who may do what with a topic, as an operator grants it: CreateAcls of Kafka's protocol, for which its client library has no
//! call.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Kafka;
use crate::wait::{must, within};

/// The request.
const CREATE_ACLS: i16 = 30;
/// The last of its versions without tagged fields.
const VERSION: i16 = 1;
/// Access to a topic.
const TOPIC: u8 = 2;
/// By exactly its name.
const LITERAL: u8 = 3;
/// It is granted.
const ALLOWED: u8 = 3;

/// What may be done with a topic.
#[derive(Debug, Clone, Copy)]
pub enum Operation {
    /// Write records.
    Write = 4,
    /// Know that it is there.
    Describe = 8,
}

impl Kafka {
    /// Allows a user of SASL an operation on a topic. Of a topic for which anything was allowed to anybody, the rest is
    /// forbidden to all but the operator, who comes in plain text.
    ///
    /// # Panics
    /// When the cluster does not take it.
    pub async fn allow(&self, user: &str, operation: Operation, topic: &str) {
        let mut request = Vec::new();
        request.extend(CREATE_ACLS.to_be_bytes());
        request.extend(VERSION.to_be_bytes());
        // The number of the request, its client without a name, and one grant.
        request.extend(7_i32.to_be_bytes());
        request.extend((-1_i16).to_be_bytes());
        request.extend(1_i32.to_be_bytes());
        request.push(TOPIC);
        text(&mut request, topic);
        request.push(LITERAL);
        text(&mut request, &format!("User:{user}"));
        text(&mut request, "*");
        request.extend([operation as u8, ALLOWED]);
        let answer = within("the cluster answers", self.ask(&request)).await;
        // Behind its number and the time that it was throttled: one result, without an error.
        assert_eq!(answer.get(8..14), Some(&[0, 0, 0, 1, 0, 0][..]), "{answer:?}");
    }

    async fn ask(&self, request: &[u8]) -> Vec<u8> {
        let address = ("127.0.0.1", self.ports(1).plain);
        let mut stream = must("connect", TcpStream::connect(address).await);
        let length = must("a short request", u32::try_from(request.len()));
        must("write", stream.write_u32(length).await);
        must("write", stream.write_all(request).await);
        let length = must("read", stream.read_u32().await);
        let mut answer = vec![0; must("a length", usize::try_from(length))];
        must("read", stream.read_exact(&mut answer).await);
        answer
    }
}

fn text(request: &mut Vec<u8>, text: &str) {
    let length = must("a short text", i16::try_from(text.len()));
    request.extend(length.to_be_bytes());
    request.extend(text.as_bytes());
}
