//! The Flight service: each call finds its entity and hands over to the part that serves it.

use std::{future::Future, sync::Arc, time::Duration};

use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest,
    HandshakeResponse, PollInfo, SchemaResult, Ticket,
    flight_service_server::{FlightService, FlightServiceServer},
};
use futures::{StreamExt, stream, stream::BoxStream};
use nervix_listener::{Blaming, Connections};
use nervix_sink_client::ConnectOptions;
use nervix_source_client::{AnswerBook, InletState};
use tokio::sync::oneshot;
use tonic::{Request, Response, Status, Streaming, transport::Server};

use super::{
    claims::{Claiming, Claims},
    descriptor::{Kind, Target},
    dialect::SharedDialect,
    ending::{Ending, Reason},
    exchange::{Consuming, end_of, sending},
    find::Finding,
    limits::{MessageLimit, of_requests, of_transport, of_unreadable},
    put::{Admission, PutResults, Writing, closed_ending},
    response::{HandedOver, Lending, Messages},
};
use crate::{
    directory::{Directory, Entry},
    supervisor::Supervisor,
};

/// How long a peer may be silent before it is pinged (flight.md "Consuming").
const PING_AFTER: Duration = Duration::from_secs(10);
/// How long a ping may stay unanswered: a peer that has not answered for 20 s is lost.
const PING_ANSWER_MAX: Duration = Duration::from_secs(10);
/// Streams that one connection may have open.
const STREAMS_MAX: u32 = 1024;
/// Flow-control windows of HTTP/2, in bytes. What a stream sends while nobody takes it from its connection is in memory
/// beside the budget; 256 KiB on their way are enough for 250 MiB/s at a round trip of a millisecond.
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
/// Streams that wait for the budget must not keep the others of their connection from being read.
const CONNECTION_WINDOW_BYTES: u32 = STREAMS_MAX * STREAM_WINDOW_BYTES;

/// The Flight service of this node.
#[derive(Clone)]
pub(crate) struct FlightEdge {
    pub(crate) directory: Directory,
    pub(crate) supervisor: Supervisor,
    pub(crate) admission: Admission,
    /// Where this node is reached, as host:port.
    pub(crate) advertised: String,
}

/// Serves until `shutdown` is ready and the streams that are open then have ended.
///
/// # Errors
/// When the listener breaks.
pub(crate) async fn serve(
    edge: FlightEdge,
    connections: Connections,
    shutdown: impl Future<Output = ()>,
) -> Result<(), tonic::transport::Error> {
    let admission = edge.admission.clone();
    let limit = admission.limit;
    let taking = |message_bytes: usize| {
        FlightServiceServer::new(edge.clone())
            .max_decoding_message_size(message_bytes)
            .max_encoding_message_size(limit.bytes())
    };
    let claiming = Claiming::new(taking(limit.bytes()), taking(limit.request_bytes()), admission);
    let service = Lending::new(claiming, limit);
    Server::builder()
        .http2_keepalive_interval(Some(PING_AFTER))
        .http2_keepalive_timeout(Some(PING_ANSWER_MAX))
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_concurrent_streams(STREAMS_MAX)
        .add_service(Blaming::with(service, |fault| of_unreadable(fault).status()))
        .serve_with_incoming_shutdown(connections, shutdown)
        .await
}

impl FlightEdge {
    fn finding(&self) -> Finding {
        Finding {
            directory: self.directory.clone(),
            advertised: self.advertised.clone(),
        }
    }

    /// The first message of a stream; `fault` says what an error of its transport means.
    async fn first(
        &self,
        incoming: &mut Streaming<FlightData>,
        fault: fn(&Status, MessageLimit) -> Option<Ending>,
    ) -> Result<FlightData, Ending> {
        let nothing = || Ending::new(Reason::BadDescriptor, "the stream ended before its first message");
        match incoming.message().await {
            Ok(message) => message.ok_or_else(nothing),
            Err(status) => Err(fault(&status, self.admission.limit).unwrap_or_else(nothing)),
        }
    }

    fn refuse_while_draining(&self) -> Result<(), Ending> {
        if self.directory.is_draining() {
            return Err(Ending::new(
                Reason::Draining,
                "this node shuts down; connect again",
            ));
        }
        Ok(())
    }

    async fn put(&self, request: Request<Streaming<FlightData>>) -> Result<PutResults, Ending> {
        let claims = Claims::of(&request);
        let mut incoming = request.into_inner();
        let first = self.first(&mut incoming, of_transport).await?;
        let target = Target::of_kind(first.flight_descriptor.as_ref(), Kind::Ingestor, "DoPut")?;
        let Entry::Ingestor(inlet) = target.find(&self.directory)? else {
            return Err(target.unknown(&self.directory));
        };
        self.refuse_while_draining()?;
        if let InletState::Closed { reason, .. } = inlet.state() {
            return Err(closed_ending(&reason, &inlet));
        }
        let book = Arc::new(AnswerBook::default());
        let dialect = Arc::new(SharedDialect::default());
        let writing = Writing::new(
            inlet,
            Arc::clone(&book),
            Arc::clone(&dialect),
            (self.admission.clone(), claims),
        );
        let reading = self.supervisor.once(writing.run(first, incoming), || {
            tracing::error!("the reader of a DoPut stream panicked");
        });
        Ok(PutResults {
            book,
            dialect,
            _reading: reading,
        })
    }

    async fn exchange(&self, mut incoming: Streaming<FlightData>) -> Result<Messages, Ending> {
        let first = self.first(&mut incoming, of_requests).await?;
        let target = Target::of_kind(first.flight_descriptor.as_ref(), Kind::Emitter, "DoExchange")?;
        let Entry::Emitter(outlet) = target.find(&self.directory)? else {
            return Err(target.unknown(&self.directory));
        };
        let Some(exchange) = &outlet.exchange else {
            return Err(target.unknown(&self.directory));
        };
        self.refuse_while_draining()?;
        let title = format!("emitter `{}` of domain `{}`", target.name, target.domain);
        let session = exchange
            .connect(ConnectOptions::default())
            .map_err(|reason| end_of(&reason, &title).unwrap_or_else(|| target.unknown(&self.directory)))?;
        let session = Arc::new(session);
        let dialect = Arc::new(SharedDialect::default());
        let (fault, faults) = oneshot::channel();
        let consuming = Consuming {
            session: Arc::clone(&session),
            dialect: Arc::clone(&dialect),
            limit: self.admission.limit,
        };
        let task = self.supervisor.once(consuming.run(first, incoming, fault), || {
            tracing::error!("the reader of a DoExchange stream panicked");
        });
        Ok(sending((session, dialect, task), faults, &outlet.arrow, title).boxed())
    }
}

fn unsupported(what: &str) -> Status {
    Ending::new(Reason::Unsupported, what).status()
}

#[tonic::async_trait]
impl FlightService for FlightEdge {
    type HandshakeStream = BoxStream<'static, Result<HandshakeResponse, Status>>;
    type ListFlightsStream = BoxStream<'static, Result<FlightInfo, Status>>;
    type DoGetStream = BoxStream<'static, Result<FlightData, Status>>;
    type DoPutStream = PutResults;
    type DoActionStream = BoxStream<'static, Result<arrow_flight::Result, Status>>;
    type ListActionsStream = BoxStream<'static, Result<ActionType, Status>>;
    /// What a consumer is sent is handed over to [`Lending`].
    type DoExchangeStream = stream::Empty<Result<FlightData, Status>>;

    async fn handshake(
        &self,
        _request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        Err(unsupported(
            "Handshake is not part of the protocol; connect without it",
        ))
    }

    async fn list_flights(
        &self,
        request: Request<Criteria>,
    ) -> Result<Response<Self::ListFlightsStream>, Status> {
        let infos = self.finding().list(request.get_ref())?;
        Ok(Response::new(stream::iter(infos.into_iter().map(Ok)).boxed()))
    }

    async fn get_flight_info(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        Ok(Response::new(self.finding().info(request.get_ref())?))
    }

    async fn poll_flight_info(
        &self,
        _request: Request<FlightDescriptor>,
    ) -> Result<Response<PollInfo>, Status> {
        Err(unsupported(
            "PollFlightInfo is not part of the protocol; use GetFlightInfo",
        ))
    }

    async fn get_schema(&self, request: Request<FlightDescriptor>) -> Result<Response<SchemaResult>, Status> {
        Ok(Response::new(self.finding().schema(request.get_ref())?))
    }

    async fn do_get(&self, _request: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        Err(unsupported(
            "DoGet is not part of the protocol: consume an emitter with DoExchange",
        ))
    }

    async fn do_put(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoPutStream>, Status> {
        Ok(Response::new(self.put(request).await?))
    }

    async fn do_action(&self, _request: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        Err(unsupported("there are no actions; NSPL goes to the control API"))
    }

    async fn list_actions(
        &self,
        _request: Request<Empty>,
    ) -> Result<Response<Self::ListActionsStream>, Status> {
        Ok(Response::new(stream::empty().boxed()))
    }

    async fn do_exchange(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        let messages = self.exchange(request.into_inner()).await?;
        let mut response = Response::new(stream::empty());
        response.extensions_mut().insert(HandedOver::new(messages));
        Ok(response)
    }
}
