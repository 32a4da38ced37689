//! Applications: a writer and a consumer over arrow-flight's own client.

use std::{collections::BTreeMap, sync::Arc};

use arrow::{
    array::{AsArray, Int64Array, RecordBatch, StringArray},
    datatypes::{DataType, Field, Int64Type, Schema, SchemaRef},
};
use arrow_flight::{FlightData, FlightDescriptor, PutResult, flight_service_client::FlightServiceClient};
use bytes::Bytes;
use nervix_columns::ipc;
use nervix_proto::client::v1::{
    Ack, Answer, ClientMessage, Credit, Delivery, Outcome, Reject, Retry, Revoked, ServerMessage, answer,
    client_message::Body as ClientBody, server_message::Body,
};
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming, transport::Channel};

use super::{model::DOMAIN, node::TestNode};
use nervix_columns::frames::{Frame, Frames};

/// Where a worker is reached.
pub(super) trait Reach {
    fn addr(&self) -> String;
}

impl Reach for TestNode {
    fn addr(&self) -> String {
        self.addr.clone()
    }
}

impl Reach for std::sync::Arc<TestNode> {
    fn addr(&self) -> String {
        self.addr.clone()
    }
}

impl Reach for std::net::SocketAddr {
    fn addr(&self) -> String {
        self.to_string()
    }
}

pub(super) async fn client(node: &impl Reach) -> FlightServiceClient<Channel> {
    let channel = Channel::from_shared(format!("http://{}", node.addr()))
        .unwrap()
        .connect()
        .await
        .unwrap();
    FlightServiceClient::new(channel)
        .max_decoding_message_size(usize::MAX)
        .max_encoding_message_size(usize::MAX)
}

pub(super) fn descriptor(kind: &str, name: &str) -> FlightDescriptor {
    FlightDescriptor::new_path(vec![DOMAIN.into(), kind.into(), name.into()])
}

pub(super) fn order_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, true),
        Field::new("key", DataType::Utf8, true),
        Field::new("amount", DataType::Int64, true),
    ]))
}

/// Orders with these ids, key `k<id % keys>`, amount = id.
pub(super) fn orders(ids: impl IntoIterator<Item = i64>, keys: i64) -> RecordBatch {
    let ids: Vec<i64> = ids.into_iter().collect();
    let names = ids.iter().map(|id| format!("k{}", id % keys));
    let columns: Vec<Arc<dyn arrow::array::Array>> = vec![
        Arc::new(Int64Array::from(ids.clone())),
        Arc::new(StringArray::from_iter_values(names)),
        Arc::new(Int64Array::from(ids.clone())),
    ];
    RecordBatch::try_new(order_schema(), columns).unwrap()
}

pub(super) fn data(message: ipc::IpcMessage) -> FlightData {
    FlightData {
        data_header: message.header,
        data_body: message.body,
        ..FlightData::default()
    }
}

/// One open DoPut.
pub(super) struct Writer {
    entry: Option<mpsc::Sender<FlightData>>,
    pub(super) answers: Streaming<PutResult>,
}

impl Writer {
    /// Opens a stream and sends the schema.
    pub(super) async fn open(node: &impl Reach, schema: &SchemaRef) -> Result<Self, Status> {
        let mut first = data(ipc::schema_message(schema));
        first.flight_descriptor = Some(descriptor("ingestor", "in"));
        Self::begin(node, first).await
    }

    pub(super) async fn begin(node: &impl Reach, first: FlightData) -> Result<Self, Status> {
        let (entry, messages) = mpsc::channel(4);
        entry.send(first).await.unwrap();
        let answers = client(node)
            .await
            .do_put(ReceiverStream::new(messages))
            .await?
            .into_inner();
        Ok(Self {
            entry: Some(entry),
            answers,
        })
    }

    pub(super) async fn write(&self, batch: &RecordBatch) {
        self.send(data(ipc::encode(batch).unwrap())).await;
    }

    /// Sends a message; one that comes after the end of the stream is lost, as in life.
    pub(super) async fn send(&self, message: FlightData) {
        drop(self.entry.as_ref().unwrap().send(message).await);
    }

    pub(super) fn half_close(&mut self) {
        self.entry = None;
    }

    pub(super) async fn answer(&mut self) -> Result<Answer, Status> {
        let result = self.answers.message().await?.expect("the stream ended");
        match server_message(&result.app_metadata) {
            Body::Answer(answer) => Ok(answer),
            other => panic!("no answer: {other:?}"),
        }
    }

    /// Says that nothing more comes, and gives every answer until the stream ends.
    pub(super) async fn rest(mut self) -> (BTreeMap<u64, Answer>, Result<(), Status>) {
        self.half_close();
        self.ended().await
    }

    /// Every answer until the stream ends, by position; unless it was half-closed, it is the server that ends it.
    pub(super) async fn ended(mut self) -> (BTreeMap<u64, Answer>, Result<(), Status>) {
        let mut answers = BTreeMap::new();
        loop {
            match self.answers.message().await {
                Ok(Some(result)) => {
                    let Body::Answer(answer) = server_message(&result.app_metadata) else {
                        panic!("no answer")
                    };
                    for position in answer.first..=answer.last {
                        assert!(
                            answers.insert(position, answer.clone()).is_none(),
                            "answered twice"
                        );
                    }
                }
                Ok(None) => return (answers, Ok(())),
                Err(status) => return (answers, Err(status)),
            }
        }
    }
}

/// JSON or protobuf: both are read.
pub(super) fn server_message(metadata: &[u8]) -> Body {
    if metadata.first() == Some(&b'{') {
        let pool = prost_reflect::DescriptorPool::decode(nervix_proto::FILE_DESCRIPTOR_SET).unwrap();
        let descriptor = pool
            .get_message_by_name("nervix.client.v1.ServerMessage")
            .unwrap();
        let mut parser = serde_json::Deserializer::from_slice(metadata);
        let message = prost_reflect::DynamicMessage::deserialize(descriptor, &mut parser).unwrap();
        return message.transcode_to::<ServerMessage>().unwrap().body.unwrap();
    }
    ServerMessage::decode(metadata).unwrap().body.unwrap()
}

/// One open DoExchange that speaks protobuf.
pub(super) struct Consumer {
    entry: Option<mpsc::Sender<FlightData>>,
    stream: Streaming<FlightData>,
    frames: Frames,
}

/// What a consumer hears.
#[derive(Debug)]
pub(super) enum Heard {
    Delivered(Delivery, RecordBatch),
    Outcome(Outcome),
    Revoked(Revoked),
}

impl Consumer {
    pub(super) async fn open(node: &impl Reach, emitter: &str) -> Result<Self, Status> {
        let (entry, messages) = mpsc::channel(4);
        let first = FlightData {
            flight_descriptor: Some(descriptor("emitter", emitter)),
            ..FlightData::default()
        };
        entry.send(first).await.unwrap();
        let mut stream = client(node)
            .await
            .do_exchange(ReceiverStream::new(messages))
            .await?
            .into_inner();
        let first = stream.message().await?.unwrap();
        let mut frames = Frames::new(64 * 1024 * 1024);
        let frame = frames.accept(&first.data_header, first.data_body).unwrap();
        assert!(matches!(frame, Frame::Schema(_)), "the schema comes at once");
        Ok(Self {
            entry: Some(entry),
            stream,
            frames,
        })
    }

    /// A consumer with credit.
    pub(super) async fn with_credit(node: &impl Reach, emitter: &str, batches: u32) -> Self {
        let consumer = Self::open(node, emitter).await.unwrap();
        consumer.say(ClientBody::Credit(Credit { batches })).await;
        consumer
    }

    pub(super) async fn say(&self, body: ClientBody) {
        self.send(ClientMessage { body: Some(body) }.encode_to_vec().into())
            .await;
    }

    pub(super) async fn send(&self, app_metadata: Bytes) {
        let message = FlightData {
            app_metadata,
            ..FlightData::default()
        };
        drop(self.entry.as_ref().unwrap().send(message).await);
    }

    pub(super) async fn send_data(&self, message: FlightData) {
        drop(self.entry.as_ref().unwrap().send(message).await);
    }

    pub(super) fn half_close(&mut self) {
        self.entry = None;
    }

    pub(super) async fn ack(&self, reference: &str) {
        self.say(ClientBody::Ack(Ack {
            refs: vec![reference.into()],
        }))
        .await;
    }

    pub(super) async fn retry(&self, reference: &str) {
        self.say(ClientBody::Retry(Retry {
            refs: vec![reference.into()],
        }))
        .await;
    }

    pub(super) async fn reject(&self, reference: &str, reason: &str) {
        self.say(ClientBody::Reject(Reject {
            refs: vec![reference.into()],
            reason: reason.into(),
        }))
        .await;
    }

    /// The next message; nothing at the end of the stream.
    pub(super) async fn hear(&mut self) -> Option<Result<Heard, Status>> {
        let message = match self.stream.message().await {
            Ok(message) => message?,
            Err(status) => return Some(Err(status)),
        };
        let frame = self
            .frames
            .accept(&message.data_header, message.data_body)
            .unwrap();
        Some(Ok(match (server_message(&message.app_metadata), frame) {
            (Body::Delivery(delivery), Frame::Batch(batch)) => Heard::Delivered(delivery, batch),
            (Body::Outcome(outcome), _) => Heard::Outcome(outcome),
            (Body::Revoked(revoked), _) => Heard::Revoked(revoked),
            (other, _) => panic!("unexpected: {other:?}"),
        }))
    }

    pub(super) async fn delivery(&mut self) -> (Delivery, RecordBatch) {
        match self.hear().await {
            Some(Ok(Heard::Delivered(delivery, batch))) => (delivery, batch),
            other => panic!("no delivery: {other:?}"),
        }
    }

    pub(super) async fn outcome(&mut self) -> Outcome {
        match self.hear().await {
            Some(Ok(Heard::Outcome(outcome))) => outcome,
            other => panic!("no outcome: {other:?}"),
        }
    }

    /// The status with which the stream ends; deliveries and revocations on the way are passed over.
    pub(super) async fn end(&mut self) -> Result<(), Status> {
        loop {
            match self.hear().await {
                None => return Ok(()),
                Some(Err(status)) => return Err(status),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Acks everything until `rows` rows have come; gives the ids in the order in which they came.
    pub(super) async fn ack_rows(&mut self, rows: usize) -> Vec<i64> {
        let mut ids = Vec::new();
        while ids.len() < rows {
            if let Some(Ok(Heard::Delivered(delivery, batch))) = self.hear().await {
                ids.extend(ids_of(&batch));
                self.ack(&delivery.r#ref).await;
            }
        }
        ids
    }
}

/// Rows go in at `in`, come out at `out` and are done.
pub(super) async fn passes_rows(node: &std::sync::Arc<TestNode>) {
    let mut consumer = Consumer::with_credit(node, "out", 10).await;
    let writer = Writer::open(node, &order_schema()).await.unwrap();
    writer.write(&orders(0..4, 2)).await;
    assert_eq!(node.within(consumer.ack_rows(4)).await, [0, 1, 2, 3]);
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), answer::Status::Done);
}

pub(super) fn ids_of(batch: &RecordBatch) -> Vec<i64> {
    batch
        .column_by_name("id")
        .unwrap()
        .as_primitive::<Int64Type>()
        .values()
        .to_vec()
}
