//! What can be written to and read from, as Arrow Flight lists it (flight.md "Finding").

use std::{sync::Arc, time::Duration};

use arrow::datatypes::{Schema, SchemaRef};
use arrow_flight::{Criteria, FlightDescriptor, FlightInfo, flight_service_client::FlightServiceClient};
use tonic::transport::Channel;

use crate::{
    backoff::Backoff,
    client::Client,
    error::Error,
    pause::{self, Instant},
    places::Places,
    refusal::Remedy,
};

/// The most entries of one listing that are kept.
const LISTED_MAX: usize = 1_000_000;
/// How often in a row a place that a server names is gone to without a wait.
const HOPS_MAX: u32 = 4;

/// Which side of a graph a flight is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlightKind {
    /// A way in, for a [`Writer`](crate::Writer).
    Ingestor,
    /// A way out, for a [`Consumer`](crate::Consumer).
    Emitter,
}

impl FlightKind {
    /// The word of the descriptor's path.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            FlightKind::Ingestor => "ingestor",
            FlightKind::Emitter => "emitter",
        }
    }
}

/// One ingestor or emitter that applications can use.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// Its domain.
    pub domain: String,
    /// Which side it is.
    pub kind: FlightKind,
    /// Its name.
    pub name: String,
    /// The Arrow schema of its batches.
    pub schema: SchemaRef,
    /// Where it is served, as `grpc://host:port` or `host:port`; empty for "where you asked".
    pub locations: Vec<String>,
}

pub(crate) fn descriptor(domain: &str, kind: FlightKind, name: &str) -> FlightDescriptor {
    FlightDescriptor::new_path(vec![domain.to_owned(), kind.word().to_owned(), name.to_owned()])
}

/// What there is, as the worker that executes the graph says.
pub(crate) async fn list_all(client: &Client, domain: Option<&str>) -> Result<Vec<Flight>, Error> {
    let mut places = Places::new(client.clone());
    at_its_place(&mut places, pause::now(), |flight| list(flight, domain)).await
}

async fn list(mut client: FlightServiceClient<Channel>, domain: Option<&str>) -> Result<Vec<Flight>, Error> {
    let criteria = Criteria {
        expression: domain.unwrap_or_default().to_owned().into(),
    };
    let mut infos = client.list_flights(criteria).await?.into_inner();
    let mut flights = Vec::new();
    while let Some(info) = infos.message().await? {
        if flights.len() == LISTED_MAX {
            return Err(Error::Protocol(format!("more than {LISTED_MAX} flights")));
        }
        flights.extend(flight(info)?);
    }
    Ok(flights)
}

async fn find(
    mut client: FlightServiceClient<Channel>,
    (domain, kind, name): (&str, FlightKind, &str),
) -> Result<Flight, Error> {
    let info = client
        .get_flight_info(descriptor(domain, kind, name))
        .await?
        .into_inner();
    let (schema, locations) = parts(info)?;
    Ok(Flight {
        domain: domain.to_owned(),
        kind,
        name: name.to_owned(),
        schema,
        locations,
    })
}

/// `None` for a descriptor of a kind that this version does not know.
fn flight(info: FlightInfo) -> Result<Option<Flight>, Error> {
    let path = info
        .flight_descriptor
        .as_ref()
        .map(|descriptor| descriptor.path.clone())
        .unwrap_or_default();
    let Ok([domain, kind, name]) = <[String; 3]>::try_from(path) else {
        return Ok(None);
    };
    let kind = match kind.as_str() {
        "ingestor" => FlightKind::Ingestor,
        "emitter" => FlightKind::Emitter,
        _ => return Ok(None),
    };
    let (schema, locations) = parts(info)?;
    Ok(Some(Flight {
        domain,
        kind,
        name,
        schema,
        locations,
    }))
}

fn parts(info: FlightInfo) -> Result<(SchemaRef, Vec<String>), Error> {
    let locations = info
        .endpoint
        .iter()
        .flat_map(|endpoint| &endpoint.location)
        .map(|place| place.uri.clone())
        .collect();
    let schema = Schema::try_from(info)
        .map_err(|_| Error::Protocol("a flight without a readable schema".to_owned()))?;
    Ok((Arc::new(schema), locations))
}

/// Finds a flight, asking until `deadline`.
pub(crate) async fn locate(
    places: &mut Places,
    (domain, kind, name): (&str, FlightKind, &str),
    deadline: Instant,
) -> Result<Flight, Error> {
    let finding = |flight| find(flight, (domain, kind, name));
    let flight = at_its_place(places, deadline, finding).await?;
    places.listed(flight.locations.first().map(String::as_str));
    Ok(flight)
}

/// Asks where it is known: goes on to a place that a server names, and asks again and again until `deadline` while nobody
/// answers.
async fn at_its_place<T, F: Future<Output = Result<T, Error>>>(
    places: &mut Places,
    deadline: Instant,
    ask: impl Fn(FlightServiceClient<Channel>) -> F,
) -> Result<T, Error> {
    let mut backoff = Backoff::default();
    let mut hops = 0;
    loop {
        let answer = match places.connect().await {
            Ok(flight) => ask(flight).await,
            Err(error) => Err(error),
        };
        let error = match answer {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let location = error.refusal().and_then(|refusal| refusal.location.clone());
        places.named(location.as_deref());
        if location.is_some() && hops < HOPS_MAX {
            hops += 1;
            continue;
        }
        let hopeless = error
            .refusal()
            .is_some_and(|refusal| refusal.remedy() == Remedy::GiveUp);
        let next = pause::now() + backoff.next(Duration::ZERO);
        if next > deadline || hopeless {
            return Err(error);
        }
        pause::until(Some(next)).await;
    }
}
