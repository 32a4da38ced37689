//! The entry: one connection to a control plane, and from there to the workers.
//!
//! Cloning is cheap and shares the connection. Script calls are not repeated by themselves: after a broken connection
//! nobody but the caller knows whether a script may run twice.

use std::{collections::VecDeque, path::Path, sync::Arc};

use arrow_flight::flight_service_client::FlightServiceClient;
use nervix_proto::v1::{
    CompleteRequest, DescribeEntityRequest, ExecuteRequest, GetClusterStatusRequest, ListEntitiesRequest,
    ValidateRequest, WatchEventsRequest, control_client::ControlClient,
};
use parking_lot::Mutex;
use tonic::{Response, Status, transport::Channel};

use crate::{
    address::Address,
    consumer::ConsumerBuilder,
    control::{
        ClusterStatus, Completion, Description, Entity, EventStream, NodeState, ScriptReply, UploadReply,
        upload,
    },
    error::Error,
    flights::{self, Flight, FlightKind},
    pause,
    places::Places,
    refusal::Remedy,
    transport,
    writer::WriterBuilder,
};

/// Places that worked which a client remembers for when the control plane says none.
const WORKED_MAX: usize = 16;

/// How to connect. [`Client::connect`] takes the defaults.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// The control API, `host:port`.
    pub server: String,
    /// Arrow Flight, `host:port`; asked from the control API when left out.
    pub flight: Option<String>,
    /// Upper bound of one Flight message in either direction, in bytes. Like the server's `--flight-max-message`.
    pub message_bytes_max: usize,
}

impl ConnectOptions {
    /// The defaults for the control API at `server`.
    #[must_use]
    pub fn new(server: impl Into<String>) -> Self {
        ConnectOptions {
            server: server.into(),
            flight: None,
            message_bytes_max: transport::FLIGHT_MESSAGE_BYTES_MAX,
        }
    }

    /// Sets the address of Arrow Flight, for where the workers' own addresses cannot be reached.
    #[must_use]
    pub fn flight(mut self, address: impl Into<String>) -> Self {
        self.flight = Some(address.into());
        self
    }

    /// Connects.
    ///
    /// # Errors
    /// [`Error::BadAddress`], [`Error::Unreachable`].
    pub async fn connect(self) -> Result<Client, Error> {
        let address: Address = self.server.parse()?;
        let flight = self.flight.as_deref().map(str::parse).transpose()?;
        let control = transport::control(&address).await?;
        let inner = Inner {
            address,
            flight,
            control,
            worked: Mutex::default(),
            message_bytes_max: self.message_bytes_max,
        };
        Ok(Client {
            inner: Arc::new(inner),
        })
    }
}

/// A connection to Nervix.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    address: Address,
    flight: Option<Address>,
    control: ControlClient<Channel>,
    /// Where streams could connect, the latest first.
    worked: Mutex<VecDeque<Address>>,
    message_bytes_max: usize,
}

impl Client {
    /// Connects to the control API at `server`, `host:port`.
    ///
    /// # Errors
    /// [`Error::BadAddress`]; [`Error::Unreachable`] when nobody answers within 5 s.
    pub async fn connect(server: &str) -> Result<Client, Error> {
        ConnectOptions::new(server).connect().await
    }

    /// Runs an NSPL script. A fault anywhere in the text refuses the whole script before its first statement; see
    /// [`ScriptReply::succeeded`].
    ///
    /// # Errors
    /// [`Error::Unanswered`] when it is not known what ran; [`Error::Unreachable`] when nothing did; [`Error::Refused`].
    pub async fn execute(&self, script: &str) -> Result<ScriptReply, Error> {
        self.execute_in(script, None, None).await
    }

    /// [`Client::execute`] with the domain of the statements before the first USE, and the name that diagnostics use.
    ///
    /// # Errors
    /// As [`Client::execute`].
    pub async fn execute_in(
        &self,
        script: &str,
        domain: Option<&str>,
        file: Option<&str>,
    ) -> Result<ScriptReply, Error> {
        let request = ExecuteRequest {
            script: script.to_owned(),
            domain: domain.unwrap_or_default().to_owned(),
            file: file.unwrap_or_default().to_owned(),
        };
        let reply = self.control().execute(request).await;
        Ok(self.answer(reply)?.into())
    }

    /// Checks a script against the catalog and says what [`Client::execute_in`] would do; changes nothing.
    ///
    /// # Errors
    /// [`Error::Refused`] when the call itself failed.
    pub async fn validate(
        &self,
        script: &str,
        domain: Option<&str>,
        file: Option<&str>,
    ) -> Result<ScriptReply, Error> {
        let request = ValidateRequest {
            script: script.to_owned(),
            domain: domain.unwrap_or_default().to_owned(),
            file: file.unwrap_or_default().to_owned(),
        };
        let reply = self.control().validate(request).await;
        Ok(self.answer(reply)?.into())
    }

    /// What fits at byte `cursor` of a script that may be unfinished: words of the grammar, names of the catalog, and
    /// what the script itself creates before. `domain` is that of the statements before the first USE.
    ///
    /// # Errors
    /// [`Error::Refused`] when the call itself failed.
    pub async fn complete(
        &self,
        script: &str,
        cursor: usize,
        domain: Option<&str>,
    ) -> Result<Completion, Error> {
        let request = CompleteRequest {
            script: script.to_owned(),
            cursor: u32::try_from(cursor).unwrap_or(u32::MAX),
            domain: domain.unwrap_or_default().to_owned(),
        };
        let reply = self.control().complete(request).await;
        Ok(self.answer(reply)?.into())
    }

    /// Lists entities, of one domain and one kind (NSPL's word, such as `EMITTER`) where given.
    ///
    /// # Errors
    /// [`Error::Refused`], among others for an unknown domain or kind.
    pub async fn list(&self, domain: Option<&str>, kind: Option<&str>) -> Result<Vec<Entity>, Error> {
        let request = ListEntitiesRequest {
            domain: domain.unwrap_or_default().to_owned(),
            kind: kind.unwrap_or_default().to_owned(),
        };
        let reply = self.answer(self.control().list_entities(request).await)?;
        Ok(reply.entities.into_iter().map(Entity::from).collect())
    }

    /// Everything known of one entity, with its live status where a worker executes it.
    ///
    /// # Errors
    /// [`Error::Refused`] with [`Code::NotFound`](crate::Code::NotFound) when there is none.
    pub async fn describe(&self, domain: &str, kind: &str, name: &str) -> Result<Description, Error> {
        let request = DescribeEntityRequest {
            domain: domain.to_owned(),
            kind: kind.to_owned(),
            name: name.to_owned(),
        };
        let reply = self.control().describe_entity(request).await;
        self.answer(reply)?.try_into()
    }

    /// The nodes of this installation.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub async fn cluster_status(&self) -> Result<ClusterStatus, Error> {
        let request = GetClusterStatusRequest {};
        let status = self.control().get_cluster_status(request).await;
        Ok(self.answer(status)?.into())
    }

    /// Runtime events from now on, of one domain where given. A reader that is too slow is told how many it missed.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub async fn events(&self, domain: Option<&str>) -> Result<EventStream, Error> {
        let request = WatchEventsRequest {
            domain: domain.unwrap_or_default().to_owned(),
        };
        let events = self.control().watch_events(request).await;
        Ok(EventStream::new(self.answer(events)?))
    }

    /// Stores the files under `folder` as a new version of a resource.
    ///
    /// # Errors
    /// [`Error::Unreadable`]; [`Error::Refused`]; [`Error::Unanswered`] when the version may have been stored.
    pub async fn upload(&self, domain: &str, resource: &str, folder: &Path) -> Result<UploadReply, Error> {
        let call = upload::send(self.control(), domain, resource, folder).await?;
        Ok(self.answer(call)?.into())
    }

    /// What applications can write to and read from, of one domain where given.
    ///
    /// # Errors
    /// [`Error::Unreachable`] without a worker; [`Error::Refused`] for an unknown domain.
    pub async fn flights(&self, domain: Option<&str>) -> Result<Vec<Flight>, Error> {
        flights::list_all(self, domain).await
    }

    /// One ingestor or emitter, with the Arrow schema of its batches.
    ///
    /// # Errors
    /// [`Error::Unreachable`] without a worker; [`Error::Refused`] when it is unknown.
    pub async fn flight(&self, domain: &str, kind: FlightKind, name: &str) -> Result<Flight, Error> {
        let mut places = Places::new(self.clone());
        flights::locate(&mut places, (domain, kind, name), pause::now()).await
    }

    /// Prepares a [`Writer`](crate::Writer) into an ingestor.
    #[must_use]
    pub fn writer(&self, domain: impl Into<String>, ingestor: impl Into<String>) -> WriterBuilder {
        WriterBuilder::new(self.clone(), domain.into(), ingestor.into())
    }

    /// Prepares a [`Consumer`](crate::Consumer) of an emitter.
    #[must_use]
    pub fn consumer(&self, domain: impl Into<String>, emitter: impl Into<String>) -> ConsumerBuilder {
        ConsumerBuilder::new(self.clone(), domain.into(), emitter.into())
    }

    pub(crate) fn control_address(&self) -> &Address {
        &self.inner.address
    }

    pub(crate) fn message_bytes_max(&self) -> usize {
        self.inner.message_bytes_max
    }

    pub(crate) fn has_own_flight(&self) -> bool {
        self.inner.flight.is_some()
    }

    /// Where Flight may be reached: the connected workers, or, while the control plane is away or knows of none, the
    /// places that worked last.
    pub(crate) async fn flight_addresses(&self) -> Result<Vec<Address>, Error> {
        if let Some(address) = &self.inner.flight {
            return Ok(vec![address.clone()]);
        }
        let listed = self.listed_addresses().await;
        let worked: Vec<Address> = self.inner.worked.lock().iter().cloned().collect();
        let gives_up = |error: &Error| error.refusal().is_some_and(|why| why.remedy() == Remedy::GiveUp);
        match listed {
            Ok(addresses) if addresses.is_empty() => Ok(worked),
            Err(error) if !worked.is_empty() && !gives_up(&error) => {
                tracing::debug!(%error, "the control plane lists no worker; those that worked are tried");
                Ok(worked)
            }
            listed => listed,
        }
    }

    /// The Flight addresses of the workers that are not lost, the connected ones first: one whose control plane does not
    /// answer may serve all the same.
    async fn listed_addresses(&self) -> Result<Vec<Address>, Error> {
        let mut nodes = self.cluster_status().await?.nodes;
        nodes.retain(|node| node.state != NodeState::Lost && !node.flight_address.is_empty());
        nodes.sort_by_key(|node| node.state != NodeState::Connected);
        nodes
            .into_iter()
            .map(|node| {
                Ok(node
                    .flight_address
                    .parse::<Address>()?
                    .reachable_beside(&self.inner.address))
            })
            .collect()
    }

    pub(crate) async fn flight_at(&self, address: &Address) -> Result<FlightServiceClient<Channel>, Error> {
        let flight = transport::flight(address, self.inner.message_bytes_max).await?;
        let mut worked = self.inner.worked.lock();
        worked.retain(|known| known != address);
        worked.push_front(address.clone());
        worked.truncate(WORKED_MAX);
        Ok(flight)
    }

    fn answer<T>(&self, reply: Result<Response<T>, Status>) -> Result<T, Error> {
        reply
            .map(Response::into_inner)
            .map_err(|status| transport::failed_call(&self.inner.address, &status))
    }

    fn control(&self) -> ControlClient<Channel> {
        self.inner.control.clone()
    }
}
