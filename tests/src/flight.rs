//! A stock Flight peer: plain `DoPut` and `DoExchange` streams with the client protocol in their metadata, without the SDK.
//!
//! Metadata is sent and read as protobuf; the JSON form is tested by the Python example and by tests of their own.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::utils::{batches_to_flight_data, flight_data_to_arrow_batch};
use arrow_flight::{FlightData, FlightDescriptor, PutResult, SchemaAsIpc};
use arrow_ipc::writer::IpcWriteOptions;
use bytes::Bytes;
use futures::FutureExt;
use nervix_proto::client::v1::answer::Status as AnswerStatus;
use nervix_proto::client::v1::{
    Ack, Answer, ClientMessage, Credit, Delivery, Hello, Outcome, Reject, Retry, Revoked, ServerMessage,
    client_message, server_message,
};
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Status, Streaming};

use crate::wait::{must, within};

/// Messages that a test may write ahead of the transport.
const AHEAD: usize = 16;

/// A connected Flight client.
///
/// # Panics
/// When nobody listens there.
pub async fn connect(address: &str) -> FlightServiceClient<Channel> {
    let endpoint = must(
        "parse the address",
        Channel::from_shared(format!("http://{address}")),
    );
    let channel = must(
        "connect to Flight",
        within("connecting", endpoint.connect()).await,
    );
    FlightServiceClient::new(channel).max_decoding_message_size(usize::MAX)
}

/// The descriptor of an ingestor or emitter.
pub fn descriptor(domain: &str, kind: &str, name: &str) -> FlightDescriptor {
    FlightDescriptor::new_path(vec![domain.to_owned(), kind.to_owned(), name.to_owned()])
}

fn message(body: client_message::Body) -> Bytes {
    ClientMessage { body: Some(body) }.encode_to_vec().into()
}

/// The messages of a schema and one batch: the first is the schema's.
///
/// # Panics
/// When the batch cannot be encoded.
pub fn encode(schema: &Schema, batch: RecordBatch) -> Vec<FlightData> {
    must("encode a batch", batches_to_flight_data(schema, vec![batch]))
}

/// An open `DoPut` stream.
#[derive(Debug)]
pub struct Put {
    sender: Option<mpsc::Sender<FlightData>>,
    answers: Streaming<PutResult>,
    schema: SchemaRef,
}

impl Put {
    /// Opens a stream to `[domain, "ingestor", name]` and sends the schema.
    ///
    /// # Errors
    /// The server's status when it refuses the stream before any answer.
    pub async fn open(address: &str, domain: &str, name: &str, schema: SchemaRef) -> Result<Self, Status> {
        let mut client = connect(address).await;
        let (sender, receiver) = mpsc::channel(AHEAD);
        let mut first = FlightData::from(SchemaAsIpc::new(&schema, &IpcWriteOptions::default()));
        first.flight_descriptor = Some(descriptor(domain, "ingestor", name));
        first.app_metadata = message(client_message::Body::Hello(Hello {}));
        must("send the schema", sender.send(first).await);
        let answers = within("opening DoPut", client.do_put(ReceiverStream::new(receiver)))
            .await?
            .into_inner();
        Ok(Self {
            sender: Some(sender),
            answers,
            schema,
        })
    }

    /// Writes one batch; waits while the server exerts backpressure.
    ///
    /// # Errors
    /// When the stream has ended.
    pub async fn write(&self, batch: RecordBatch) -> Result<(), String> {
        let mut data = encode(&self.schema, batch);
        self.send(data.remove(1)).await
    }

    /// Sends one message as it is.
    ///
    /// # Errors
    /// When the stream has ended.
    pub async fn send(&self, data: FlightData) -> Result<(), String> {
        match &self.sender {
            Some(sender) => sender
                .send(data)
                .await
                .map_err(|_| "the stream has ended".to_owned()),
            None => Err("the writing side is closed".to_owned()),
        }
    }

    /// The writing side, for code that sends while another reads the answers.
    ///
    /// # Panics
    /// When the stream is half-closed already.
    pub fn sender(&self) -> mpsc::Sender<FlightData> {
        match &self.sender {
            Some(sender) => sender.clone(),
            None => panic!("the writing side is closed"),
        }
    }

    /// Half-closes: nothing more will be written.
    pub fn close(&mut self) {
        self.sender = None;
    }

    /// The next answer; `None` at the end of the stream.
    ///
    /// # Errors
    /// The status the stream ended with.
    pub async fn answer(&mut self) -> Result<Option<Answer>, Status> {
        let Some(result) = within("an answer", self.answers.message()).await? else {
            return Ok(None);
        };
        match server_message(&result.app_metadata) {
            server_message::Body::Answer(answer) => Ok(Some(answer)),
            other => panic!("DoPut answered with {other:?}"),
        }
    }

    /// Whether no answer has come beside those that were read.
    ///
    /// # Errors
    /// The status the stream ended with.
    pub fn is_unanswered(&mut self) -> Result<bool, Status> {
        match self.answers.message().now_or_never() {
            None => Ok(true),
            Some(answer) => answer.map(|_| false),
        }
    }

    /// Half-closes and reads all answers, expanded to one status a position, in order of position.
    ///
    /// # Errors
    /// The status the stream ended with.
    pub async fn finish(mut self) -> Result<Vec<Answer>, Status> {
        self.close();
        let mut answers = Vec::new();
        while let Some(answer) = self.answer().await? {
            answers.push(answer);
        }
        answers.sort_by_key(|answer| answer.first);
        Ok(answers)
    }
}

fn server_message(metadata: &Bytes) -> server_message::Body {
    let decoded = must(
        "decode the server's metadata",
        ServerMessage::decode(metadata.clone()),
    );
    match decoded.body {
        Some(body) => body,
        None => panic!("the server sent an empty message"),
    }
}

/// One answer a position, in order.
pub fn expand(answers: Vec<Answer>) -> Vec<(u64, AnswerStatus)> {
    let mut statuses: Vec<(u64, AnswerStatus)> = answers
        .into_iter()
        .flat_map(|answer| (answer.first..=answer.last).map(move |position| (position, answer.status())))
        .collect();
    statuses.sort_by_key(|(position, _)| *position);
    statuses
}

/// The same without the positions.
pub fn statuses(answers: Vec<Answer>) -> Vec<AnswerStatus> {
    expand(answers).into_iter().map(|(_, status)| status).collect()
}

/// What arrives on an exchange.
#[derive(Debug)]
pub enum Event {
    /// One attempt to deliver one batch.
    Delivery(Delivery, RecordBatch),
    /// What became of an answer.
    Outcome(Outcome),
    /// A delivery was taken back.
    Revoked(Revoked),
}

/// An open `DoExchange` stream of a consumer.
#[derive(Debug)]
pub struct Exchange {
    sender: Option<mpsc::Sender<FlightData>>,
    messages: Streaming<FlightData>,
    schema: SchemaRef,
    passed_over: VecDeque<Event>,
    largest: usize,
}

impl Exchange {
    /// Opens a stream to `[domain, "emitter", name]` and reads the schema.
    ///
    /// # Errors
    /// The server's status when it refuses the consumer.
    pub async fn open(address: &str, domain: &str, name: &str) -> Result<Self, Status> {
        let mut client = connect(address).await;
        let (sender, receiver) = mpsc::channel(AHEAD);
        let first = FlightData::new()
            .with_descriptor(descriptor(domain, "emitter", name))
            .with_app_metadata(message(client_message::Body::Hello(Hello {})));
        must("send hello", sender.send(first).await);
        let opened = within(
            "opening DoExchange",
            client.do_exchange(ReceiverStream::new(receiver)),
        )
        .await?;
        let mut messages = opened.into_inner();
        let Some(first) = within("the schema", messages.message()).await? else {
            return Err(Status::internal("the stream ended before the schema"));
        };
        let schema = must("read the schema", Schema::try_from(&first));
        Ok(Self {
            sender: Some(sender),
            messages,
            schema: Arc::new(schema),
            passed_over: VecDeque::new(),
            largest: 0,
        })
    }

    /// The emitter's output schema.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Header and body of the largest batch that has come, in bytes, as they were sent.
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// Grants credit for `batches` more deliveries.
    pub async fn credit(&self, batches: u32) {
        self.say(client_message::Body::Credit(Credit { batches })).await;
    }

    /// Acknowledges one ref.
    pub async fn ack(&self, delivery: &str) {
        self.say(client_message::Body::Ack(Ack {
            refs: vec![delivery.to_owned()],
        }))
        .await;
    }

    /// Asks for one ref again.
    pub async fn retry(&self, delivery: &str) {
        self.say(client_message::Body::Retry(Retry {
            refs: vec![delivery.to_owned()],
        }))
        .await;
    }

    /// Rejects one ref.
    pub async fn reject(&self, delivery: &str, reason: &str) {
        let refs = vec![delivery.to_owned()];
        self.say(client_message::Body::Reject(Reject {
            refs,
            reason: reason.to_owned(),
        }))
        .await;
    }

    /// Sends one message of the protocol.
    pub async fn say(&self, body: client_message::Body) {
        self.send(FlightData::new().with_app_metadata(message(body)))
            .await;
    }

    /// Sends one Flight message as it is; a stream that has ended swallows it.
    pub async fn send(&self, data: FlightData) {
        if let Some(sender) = &self.sender {
            sender.send(data).await.unwrap_or_default();
        }
    }

    /// Half-closes.
    pub fn close(&mut self) {
        self.sender = None;
    }

    /// The next event, those that were passed over first; `None` at the end of the stream.
    ///
    /// # Errors
    /// The status the stream ended with.
    pub async fn next(&mut self) -> Result<Option<Event>, Status> {
        match self.passed_over.pop_front() {
            Some(event) => Ok(Some(event)),
            None => self.read().await,
        }
    }

    async fn read(&mut self) -> Result<Option<Event>, Status> {
        let Some(data) = within("a message of the exchange", self.messages.message()).await? else {
            return Ok(None);
        };
        Ok(Some(match server_message(&data.app_metadata) {
            server_message::Body::Delivery(delivery) => {
                self.largest = self.largest.max(data.data_header.len() + data.data_body.len());
                Event::Delivery(delivery, self.decode(&data))
            }
            server_message::Body::Outcome(outcome) => Event::Outcome(outcome),
            server_message::Body::Revoked(revoked) => Event::Revoked(revoked),
            server_message::Body::Answer(answer) => panic!("DoExchange sent {answer:?}"),
        }))
    }

    /// The first event that `wanted` takes; others are passed over, and kept for later.
    async fn find(&mut self, what: &str, wanted: impl Fn(&Event) -> bool) -> Event {
        let kept = self.passed_over.iter().position(&wanted);
        if let Some(event) = kept.and_then(|found| self.passed_over.remove(found)) {
            return event;
        }
        loop {
            match must("the exchange goes on", self.read().await) {
                Some(event) if wanted(&event) => return event,
                Some(event) => self.passed_over.push_back(event),
                None => panic!("the stream ended while {what} was expected"),
            }
        }
    }

    /// The next delivery.
    ///
    /// # Panics
    /// When the stream ends first.
    pub async fn delivery(&mut self) -> (Delivery, RecordBatch) {
        match self
            .find("a delivery", |event| matches!(event, Event::Delivery(..)))
            .await
        {
            Event::Delivery(delivery, batch) => (delivery, batch),
            other => panic!("{other:?} is no delivery"),
        }
    }

    /// The outcome of `delivery`.
    ///
    /// # Panics
    /// When the stream ends first.
    pub async fn outcome(&mut self, delivery: &str) -> Outcome {
        let wanted = |event: &Event| matches!(event, Event::Outcome(outcome) if outcome.r#ref == delivery);
        match self.find("an outcome", wanted).await {
            Event::Outcome(outcome) => outcome,
            other => panic!("{other:?} is no outcome"),
        }
    }

    fn decode(&self, data: &FlightData) -> RecordBatch {
        let batch = flight_data_to_arrow_batch(data, Arc::clone(&self.schema), &Default::default());
        must("decode a delivery", batch)
    }
}
