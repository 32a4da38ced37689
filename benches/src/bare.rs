//! The baseline: a bare arrow-flight server that hands what DoPut decodes to DoExchange, which encodes it again. It checks
//! nothing, keeps nothing, acknowledges nothing; it numbers deliveries so that the same client can drive it.

use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::error::FlightError;
use arrow_flight::flight_service_server::{FlightService, FlightServiceServer};
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest,
    HandshakeResponse, PollInfo, PutResult, SchemaResult, Ticket,
};
use futures::{Stream, StreamExt, TryStreamExt};
use nervix_proto::client::v1::{Answer, Delivery, ServerMessage, answer, server_message};
use nervix_tests::process::Process;
use nervix_tests::wait::{must, until};
use prost::Message;
use tempfile::TempDir;
use tokio::sync::{Mutex, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

use crate::peer::schema;
use crate::report::{SERVER_CORE, pin};

/// Batches between the two streams.
const BETWEEN: usize = 64;

type Reply<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[derive(Debug)]
struct Bare {
    sender: mpsc::Sender<RecordBatch>,
    receiver: Arc<Mutex<Option<mpsc::Receiver<RecordBatch>>>>,
}

fn metadata(body: server_message::Body) -> Vec<u8> {
    ServerMessage { body: Some(body) }.encode_to_vec()
}

fn no<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("the baseline only puts and exchanges"))
}

#[tonic::async_trait]
impl FlightService for Bare {
    type HandshakeStream = Reply<HandshakeResponse>;
    type ListFlightsStream = Reply<FlightInfo>;
    type DoGetStream = Reply<FlightData>;
    type DoPutStream = Reply<PutResult>;
    type DoExchangeStream = Reply<FlightData>;
    type DoActionStream = Reply<arrow_flight::Result>;
    type ListActionsStream = Reply<ActionType>;

    async fn handshake(
        &self,
        _: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        no()
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Result<Response<Self::ListFlightsStream>, Status> {
        no()
    }

    async fn get_flight_info(&self, _: Request<FlightDescriptor>) -> Result<Response<FlightInfo>, Status> {
        no()
    }

    async fn poll_flight_info(&self, _: Request<FlightDescriptor>) -> Result<Response<PollInfo>, Status> {
        no()
    }

    async fn get_schema(&self, _: Request<FlightDescriptor>) -> Result<Response<SchemaResult>, Status> {
        no()
    }

    async fn do_get(&self, _: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        no()
    }

    async fn do_put(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoPutStream>, Status> {
        let messages = request.into_inner().map_err(FlightError::from);
        let batches = FlightRecordBatchStream::new_from_flight_data(messages);
        let sender = self.sender.clone();
        let answers = batches.enumerate().then(move |(position, batch)| {
            let sender = sender.clone();
            async move {
                let batch = batch.map_err(|error| Status::internal(error.to_string()))?;
                sender
                    .send(batch)
                    .await
                    .map_err(|_| Status::internal("nobody exchanges"))?;
                let position = position as u64;
                let status = answer::Status::Done.into();
                let answer = Answer {
                    first: position,
                    last: position,
                    status,
                    ..Answer::default()
                };
                Ok(PutResult {
                    app_metadata: metadata(server_message::Body::Answer(answer)).into(),
                })
            }
        });
        Ok(Response::new(Box::pin(answers)))
    }

    async fn do_exchange(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        let Some(receiver) = self.receiver.lock().await.take() else {
            return Err(Status::resource_exhausted("the baseline has one consumer"));
        };
        let mut acks = request.into_inner();
        let batches = ReceiverStream::new(receiver).map(Ok);
        let encoded = FlightDataEncoderBuilder::new()
            .with_schema(schema())
            .with_max_flight_data_size(usize::MAX)
            .build(batches);
        let mut attempts = 0_u64;
        let numbered = encoded.map(move |data| {
            let mut data = data.map_err(|error| Status::internal(error.to_string()))?;
            if attempts > 0 {
                let delivery = Delivery {
                    r#ref: attempts.to_string(),
                    attempt: 1,
                    ..Delivery::default()
                };
                data.app_metadata = metadata(server_message::Body::Delivery(delivery)).into();
            }
            attempts += 1;
            Ok(data)
        });
        // The consumer's messages are read, so that its sending side never fills, and say nothing to the baseline.
        let swallowed = futures::stream::poll_fn(move |context| {
            loop {
                match acks.poll_next_unpin(context) {
                    std::task::Poll::Ready(Some(Ok(_))) => {}
                    std::task::Poll::Ready(_) => {
                        return std::task::Poll::Ready(None::<Result<FlightData, Status>>);
                    }
                    std::task::Poll::Pending => return std::task::Poll::Pending,
                }
            }
        });
        Ok(Response::new(Box::pin(futures::stream::select(
            numbered, swallowed,
        ))))
    }

    async fn do_action(&self, _: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        no()
    }

    async fn list_actions(&self, _: Request<Empty>) -> Result<Response<Self::ListActionsStream>, Status> {
        no()
    }
}

/// Serves the baseline on `address` until the process is ended.
pub(crate) async fn serve(address: &str) {
    let listener = must("listen", tokio::net::TcpListener::bind(address).await);
    let (sender, receiver) = mpsc::channel(BETWEEN);
    let bare = Bare {
        sender,
        receiver: Arc::new(Mutex::new(Some(receiver))),
    };
    let service = FlightServiceServer::new(bare)
        .max_decoding_message_size(usize::MAX)
        .max_encoding_message_size(usize::MAX);
    let serving = tonic::transport::Server::builder()
        .http2_adaptive_window(Some(true))
        .add_service(service);
    must(
        "serve",
        serving
            .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)))
            .await,
    );
}

/// The baseline in a process of its own, with the folder of its log.
#[derive(Debug)]
pub(crate) struct BareServer {
    _process: Process,
    _folder: TempDir,
}

/// Starts the baseline, pinned like Nervix, and gives its address.
pub(crate) async fn start() -> (BareServer, String) {
    let folder = must("make a folder", tempfile::tempdir());
    let address = format!("127.0.0.1:{}", nervix_tests::ports::free_port());
    let mut command = Command::new(must("find this program", std::env::current_exe()));
    command.args(["bare-server", &address]);
    let process = Process::start("the baseline", command, &folder.path().join("bare.log"));
    pin(process.id(), SERVER_CORE);
    until("the baseline listens", || {
        let address = address.clone();
        async move { tokio::net::TcpStream::connect(address).await.ok() }
    })
    .await;
    let server = BareServer {
        _process: process,
        _folder: folder,
    };
    (server, address)
}
