//! ListFlights, GetFlightInfo, GetSchema (flight.md "Finding").

use arrow_flight::SchemaAsIpc;
use arrow_flight::{
    Criteria, FlightDescriptor, FlightEndpoint, FlightInfo, IpcMessage, Location, SchemaResult,
};
use arrow_ipc::writer::IpcWriteOptions;

use super::{
    descriptor::Target,
    ending::{Ending, Reason},
};
use crate::directory::{Directory, Entry};

/// Answers what there is.
#[derive(Clone)]
pub(crate) struct Finding {
    pub(crate) directory: Directory,
    /// Where this node is reached, as host:port.
    pub(crate) advertised: String,
}

impl Finding {
    /// All entries of the domain that the criteria name, or of all domains.
    pub(crate) fn list(&self, criteria: &Criteria) -> Result<Vec<FlightInfo>, Ending> {
        let domain = std::str::from_utf8(&criteria.expression).map_err(|_| {
            Ending::new(
                Reason::BadDescriptor,
                "the criteria are no text; give a domain or nothing",
            )
        })?;
        if !self.directory.is_assigned() {
            return Err(Ending::starting());
        }
        let domain = Some(domain).filter(|domain| !domain.is_empty());
        if let Some(unknown) = domain.filter(|domain| !self.directory.knows_domain(domain)) {
            return Err(Ending::new(
                Reason::Unknown,
                format!("there is no domain `{unknown}`"),
            ));
        }
        match self.directory.elsewhere() {
            Some(location) => Err(Ending::elsewhere("flight to list", &location)),
            None => self.infos(domain),
        }
    }

    /// Schema and place of one entity.
    pub(crate) fn info(&self, descriptor: &FlightDescriptor) -> Result<FlightInfo, Ending> {
        let target = Target::read(Some(descriptor))?;
        let entry = target.find(&self.directory)?;
        self.describe(descriptor.clone(), &entry)
    }

    /// Schema of one entity.
    pub(crate) fn schema(&self, descriptor: &FlightDescriptor) -> Result<SchemaResult, Ending> {
        let entry = Target::read(Some(descriptor))?.find(&self.directory)?;
        let options = IpcWriteOptions::default();
        SchemaAsIpc::new(entry.arrow_schema(), &options)
            .try_into()
            .map_err(|_| unsayable())
    }

    fn infos(&self, domain: Option<&str>) -> Result<Vec<FlightInfo>, Ending> {
        let entries = self.directory.list(domain);
        let describe = |((domain, name), entry): &((_, _), Entry)| {
            let (domain, name): (&std::sync::Arc<str>, &std::sync::Arc<str>) = (domain, name);
            self.describe(Target::descriptor(domain, entry, name), entry)
        };
        let entries = entries.iter().filter(|(_, entry)| entry.is_for_applications());
        entries.map(describe).collect()
    }

    fn describe(&self, descriptor: FlightDescriptor, entry: &Entry) -> Result<FlightInfo, Ending> {
        let options = IpcWriteOptions::default();
        let IpcMessage(schema) = SchemaAsIpc::new(entry.arrow_schema(), &options)
            .try_into()
            .map_err(|_| unsayable())?;
        let location = Location {
            uri: format!("grpc+tcp://{}", self.advertised),
        };
        let endpoint = FlightEndpoint {
            location: vec![location],
            ..FlightEndpoint::default()
        };
        Ok(FlightInfo {
            schema,
            flight_descriptor: Some(descriptor),
            endpoint: vec![endpoint],
            total_records: -1,
            total_bytes: -1,
            ordered: false,
            ..FlightInfo::default()
        })
    }
}

fn unsayable() -> Ending {
    Ending::new(Reason::Internal, "the schema has no Arrow IPC form")
}
