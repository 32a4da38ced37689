//! An Arrow Flight server whose side of every stream is played by the test.

use std::{pin::Pin, sync::Arc, time::Duration};

use arrow::{
    array::{Int64Array, RecordBatch},
    datatypes::{DataType, Field, Schema, SchemaRef},
};
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest,
    HandshakeResponse, IpcMessage, PollInfo, PutResult, SchemaAsIpc, SchemaResult, Ticket,
    flight_service_server::{FlightService, FlightServiceServer},
    utils::batches_to_flight_data,
};
use arrow_ipc::writer::IpcWriteOptions;
use futures::Stream;
use nervix_client::{Client, ConnectOptions};
use nervix_proto::client::v1::{ClientMessage, ServerMessage, answer, client_message, server_message};
use prost::Message;
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, transport::Server};

/// Streams that wait for the test, and messages that wait for the client.
const QUEUE: usize = 64;
/// How long the test waits for the client.
const PATIENCE: Duration = Duration::from_secs(20);

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// A server on a free port; it ends with the test.
pub(crate) struct Peer {
    pub(crate) address: String,
    puts: mpsc::Receiver<Put>,
    exchanges: mpsc::Receiver<Exchange>,
    _task: JoinSet<()>,
}

impl Peer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (put_sender, puts) = mpsc::channel(QUEUE);
        let (exchange_sender, exchanges) = mpsc::channel(QUEUE);
        let service = FlightServiceServer::new(Service {
            puts: put_sender,
            exchanges: exchange_sender,
        });
        let mut task = JoinSet::new();
        task.spawn(async move {
            let serving = Server::builder()
                .add_service(service)
                .serve_with_incoming(TcpListenerStream::new(listener));
            serving.await.unwrap();
        });
        Peer {
            address,
            puts,
            exchanges,
            _task: task,
        }
    }

    pub(crate) async fn client(&self) -> Client {
        ConnectOptions::new(&self.address)
            .flight(&self.address)
            .connect()
            .await
            .unwrap()
    }

    /// The next stream that a writer opens.
    pub(crate) async fn put(&mut self) -> Put {
        soon(self.puts.recv()).await.unwrap()
    }

    /// The next stream that a consumer opens, with the schema already sent.
    pub(crate) async fn exchange(&mut self) -> Exchange {
        let exchange = soon(self.exchanges.recv()).await.unwrap();
        let schema = batches_to_flight_data(&schema(), vec![]).unwrap().remove(0);
        exchange.replies.send(Ok(schema)).await.unwrap();
        exchange
    }
}

/// One DoPut stream.
pub(crate) struct Put {
    heard: Streaming<FlightData>,
    replies: mpsc::Sender<Result<PutResult, Status>>,
}

impl Put {
    /// The next record-batch message; `None` when the client has half-closed.
    pub(crate) async fn batch(&mut self) -> Option<FlightData> {
        loop {
            let frame = soon(self.heard.message()).await.unwrap()?;
            if frame.flight_descriptor.is_none() {
                return Some(frame);
            }
        }
    }

    pub(crate) async fn answer(&self, first: u64, last: u64, status: answer::Status) {
        let (code, message) = match status {
            answer::Status::Done => (String::new(), String::new()),
            _ => ("validation".to_owned(), "1 row refused".to_owned()),
        };
        let answer = nervix_proto::client::v1::Answer {
            first,
            last,
            status: status.into(),
            code,
            message,
            retry_after_ms: 0,
        };
        let app_metadata = said(server_message::Body::Answer(answer));
        self.replies.send(Ok(PutResult { app_metadata })).await.unwrap();
    }

    pub(crate) async fn end(self, status: Status) {
        self.replies.send(Err(status)).await.unwrap();
    }
}

/// One DoExchange stream.
pub(crate) struct Exchange {
    heard: Streaming<FlightData>,
    replies: mpsc::Sender<Result<FlightData, Status>>,
}

impl Exchange {
    /// The next message that says something; `None` when the client has half-closed.
    pub(crate) async fn heard(&mut self) -> Option<client_message::Body> {
        loop {
            let frame = soon(self.heard.message()).await.unwrap()?;
            let message = ClientMessage::decode(frame.app_metadata).unwrap();
            match message.body {
                None | Some(client_message::Body::Hello(_)) => {}
                Some(body) => return Some(body),
            }
        }
    }

    pub(crate) async fn credit(&mut self) -> u32 {
        match self.heard().await {
            Some(client_message::Body::Credit(credit)) => credit.batches,
            other => panic!("expected credit, heard {other:?}"),
        }
    }

    pub(crate) async fn deliver(&self, name: &str, values: Vec<i64>) {
        let rows = batch(values);
        let delivery = nervix_proto::client::v1::Delivery {
            r#ref: name.to_owned(),
            batch: format!("batch-of-{name}"),
            attempt: 1,
            source: "numbers".to_owned(),
            branch: String::new(),
            rows: rows.num_rows().try_into().unwrap(),
            ack_timeout_ms: 30_000,
        };
        let frame = batches_to_flight_data(&schema(), vec![rows]).unwrap().remove(1);
        let frame = frame.with_app_metadata(said(server_message::Body::Delivery(delivery)));
        self.replies.send(Ok(frame)).await.unwrap();
    }

    pub(crate) async fn say(&self, body: server_message::Body) {
        self.replies
            .send(Ok(FlightData::new().with_app_metadata(said(body))))
            .await
            .unwrap();
    }

    pub(crate) async fn end(self, status: Status) {
        self.replies.send(Err(status)).await.unwrap();
    }
}

/// Waits for the client with a bound.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("the client did not do it in time")
}

pub(crate) fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]))
}

pub(crate) fn batch(values: Vec<i64>) -> RecordBatch {
    RecordBatch::try_new(schema(), vec![Arc::new(Int64Array::from(values))]).unwrap()
}

fn said(body: server_message::Body) -> bytes::Bytes {
    ServerMessage { body: Some(body) }.encode_to_vec().into()
}

struct Service {
    puts: mpsc::Sender<Put>,
    exchanges: mpsc::Sender<Exchange>,
}

#[tonic::async_trait]
impl FlightService for Service {
    type HandshakeStream = Replies<HandshakeResponse>;
    type ListFlightsStream = Replies<FlightInfo>;
    type DoGetStream = Replies<FlightData>;
    type DoPutStream = Replies<PutResult>;
    type DoActionStream = Replies<arrow_flight::Result>;
    type ListActionsStream = Replies<ActionType>;
    type DoExchangeStream = Replies<FlightData>;

    async fn handshake(
        &self,
        _: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        Err(Status::unimplemented("handshake"))
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Result<Response<Self::ListFlightsStream>, Status> {
        Err(Status::unimplemented("list_flights"))
    }

    async fn get_flight_info(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let descriptor = request.into_inner();
        if descriptor.path.last().is_some_and(|name| name == "absent") {
            return Err(Status::not_found("there is nothing named absent"));
        }
        let info = FlightInfo::new()
            .try_with_schema(&schema())
            .unwrap()
            .with_descriptor(descriptor);
        Ok(Response::new(info))
    }

    async fn poll_flight_info(&self, _: Request<FlightDescriptor>) -> Result<Response<PollInfo>, Status> {
        Err(Status::unimplemented("poll_flight_info"))
    }

    async fn get_schema(&self, _: Request<FlightDescriptor>) -> Result<Response<SchemaResult>, Status> {
        let options = IpcWriteOptions::default();
        let IpcMessage(schema) = SchemaAsIpc::new(&schema(), &options).try_into().unwrap();
        Ok(Response::new(SchemaResult { schema }))
    }

    async fn do_get(&self, _: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        Err(Status::unimplemented("do_get"))
    }

    async fn do_put(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoPutStream>, Status> {
        let (replies, receiver) = mpsc::channel(QUEUE);
        let put = Put {
            heard: request.into_inner(),
            replies,
        };
        self.puts
            .send(put)
            .await
            .map_err(|_| Status::aborted("the test is over"))?;
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    async fn do_exchange(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        let (replies, receiver) = mpsc::channel(QUEUE);
        let exchange = Exchange {
            heard: request.into_inner(),
            replies,
        };
        self.exchanges
            .send(exchange)
            .await
            .map_err(|_| Status::aborted("the test is over"))?;
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    async fn do_action(&self, _: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        Err(Status::unimplemented("do_action"))
    }

    async fn list_actions(&self, _: Request<Empty>) -> Result<Response<Self::ListActionsStream>, Status> {
        Err(Status::unimplemented("list_actions"))
    }
}
