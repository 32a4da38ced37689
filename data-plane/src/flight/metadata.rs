//! What travels in `app_metadata` (flight.md "Metadata"): reading requests, writing server messages.
//!
//! Invariant: a request that is malformed in any part has no effect; it is either read whole or refused whole.
//! Both encodings go through one descriptor, so that JSON and protobuf cannot drift apart. Nothing is answered here; what a
//! ref and a reason may be is the business of the session that they are for.

use std::sync::LazyLock;

use bytes::Bytes;
use nervix_proto::client::v1::{ClientMessage, ServerMessage, client_message::Body};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};

/// Longest `app_metadata` that is read, in bytes; some 15,000 refs.
pub(crate) const METADATA_BYTES_MAX: usize = 1024 * 1024;
/// Longest part of a parser's complaint that is passed on.
const COMPLAINT_CHARS_MAX: usize = 200;

/// One encoding of the metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// proto3 JSON, defaults printed.
    Json,
    /// Binary protobuf.
    Protobuf,
}

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Nothing that this server knows.
    Nothing,
    /// Selects the encoding only.
    Hello,
    /// Lets the server send this many more batches.
    Credit(u32),
    /// These deliveries are processed.
    Ack(Vec<String>),
    /// These deliveries shall come again.
    Retry(Vec<String>),
    /// These deliveries cannot be processed.
    Reject {
        /// The deliveries, in order.
        refs: Vec<String>,
        /// Why.
        reason: String,
    },
}

impl Request {
    /// The word of the protocol for this request.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Hello => "hello",
            Self::Credit(_) => "credit",
            Self::Ack(_) => "ack",
            Self::Retry(_) => "retry",
            Self::Reject { .. } => "reject",
        }
    }
}

/// What is wrong with a piece of metadata, as a sentence for its sender.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    #[error(
        "app_metadata has {bytes} bytes; at most {METADATA_BYTES_MAX} are read, so send fewer refs in one message"
    )]
    TooLong { bytes: usize },
    #[error("app_metadata begins with `{{` but is no ClientMessage in JSON: {complaint}")]
    Json { complaint: String },
    #[error("app_metadata is no ClientMessage in protobuf: {complaint}")]
    Protobuf { complaint: String },
}

/// The encoding of one stream: JSON, until the client's first metadata turns out to be protobuf.
#[derive(Debug, Default)]
pub(crate) struct Dialect {
    chosen: Option<Encoding>,
}

impl Dialect {
    /// The encoding in which this stream is answered now.
    pub(crate) fn encoding(&self) -> Encoding {
        self.chosen.unwrap_or(Encoding::Json)
    }

    /// Reads one `app_metadata`; an empty one asks for nothing and chooses nothing.
    pub(crate) fn read(&mut self, metadata: &[u8]) -> Result<Request, Malformed> {
        let Some(first) = metadata.first() else {
            return Ok(Request::Nothing);
        };
        let encoding = if *first == b'{' {
            Encoding::Json
        } else {
            Encoding::Protobuf
        };
        self.chosen.get_or_insert(encoding);
        if metadata.len() > METADATA_BYTES_MAX {
            return Err(Malformed::TooLong {
                bytes: metadata.len(),
            });
        }
        let message = match encoding {
            Encoding::Json => from_json(metadata)?,
            Encoding::Protobuf => ClientMessage::decode(metadata).map_err(|error| Malformed::Protobuf {
                complaint: complaint(&error.to_string()),
            })?,
        };
        Ok(request(message))
    }
}

/// Writes one server message in `encoding`.
pub(crate) fn write(message: &ServerMessage, encoding: Encoding) -> Bytes {
    match encoding {
        Encoding::Protobuf => Bytes::from(message.encode_to_vec()),
        Encoding::Json => to_json(message),
    }
}

fn request(message: ClientMessage) -> Request {
    match message.body {
        None => Request::Nothing,
        Some(Body::Hello(_)) => Request::Hello,
        Some(Body::Credit(credit)) => Request::Credit(credit.batches),
        Some(Body::Ack(ack)) => Request::Ack(ack.refs),
        Some(Body::Retry(retry)) => Request::Retry(retry.refs),
        Some(Body::Reject(reject)) => Request::Reject {
            refs: reject.refs,
            reason: reject.reason,
        },
    }
}

struct Descriptors {
    client: MessageDescriptor,
    server: MessageDescriptor,
}

/// `None` only when the committed descriptor set lacks the public protocol, which a test rules out.
static DESCRIPTORS: LazyLock<Option<Descriptors>> = LazyLock::new(|| {
    let pool = DescriptorPool::decode(nervix_proto::FILE_DESCRIPTOR_SET).ok()?;
    Some(Descriptors {
        client: pool.get_message_by_name("nervix.client.v1.ClientMessage")?,
        server: pool.get_message_by_name("nervix.client.v1.ServerMessage")?,
    })
});

fn from_json(metadata: &[u8]) -> Result<ClientMessage, Malformed> {
    let malformed = |text: &str| Malformed::Json {
        complaint: complaint(text),
    };
    let descriptors = DESCRIPTORS
        .as_ref()
        .ok_or_else(|| malformed("JSON is not available"))?;
    let mut parser = serde_json::Deserializer::from_slice(metadata);
    let mut path = serde_path_to_error::Track::new();
    let named = serde_path_to_error::Deserializer::new(&mut parser, &mut path);
    let message = DynamicMessage::deserialize(descriptors.client.clone(), named);
    let message = message.map_err(|error| malformed(&at_path(&path.path(), &error)))?;
    parser.end().map_err(|error| malformed(&error.to_string()))?;
    message
        .transcode_to()
        .map_err(|error| malformed(&error.to_string()))
}

/// The complaint with the field that it is about, where it is about one.
fn at_path(path: &serde_path_to_error::Path, error: &serde_json::Error) -> String {
    match path.iter().next() {
        Some(_) => format!("{path}: {error}"),
        None => error.to_string(),
    }
}

fn to_json(message: &ServerMessage) -> Bytes {
    let options = SerializeOptions::new()
        .skip_default_fields(false)
        .stringify_64_bit_integers(true);
    let written = DESCRIPTORS.as_ref().and_then(|descriptors| {
        let mut dynamic = DynamicMessage::new(descriptors.server.clone());
        dynamic.transcode_from(message).ok()?;
        let mut buffer = Vec::with_capacity(160);
        let mut serializer = serde_json::Serializer::new(&mut buffer);
        dynamic.serialize_with_options(&mut serializer, &options).ok()?;
        Some(Bytes::from(buffer))
    });
    written.unwrap_or_default()
}

fn complaint(text: &str) -> String {
    let mut short: String = text.chars().take(COMPLAINT_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
