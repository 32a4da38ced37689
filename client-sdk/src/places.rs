//! Where a stream goes next: the place a server named, else the workers in turn, else the places that worked.
//!
//! Decides addresses and connects; it neither waits nor counts attempts.

use arrow_flight::flight_service_client::FlightServiceClient;
use tonic::transport::Channel;

use crate::{address::Address, client::Client, error::Error};

/// The places of one writer or consumer.
#[derive(Debug)]
pub(crate) struct Places {
    client: Client,
    named: Option<Address>,
    turn: usize,
}

impl Places {
    pub(crate) fn new(client: Client) -> Self {
        Places {
            client,
            named: None,
            turn: 0,
        }
    }

    /// The server said where to go; used for the next connection only, so that a wrong hint cannot trap a stream.
    pub(crate) fn named(&mut self, location: Option<&str>) {
        self.named = location.and_then(|location| location.parse().ok());
    }

    /// A listing said where the entity is; an address that the application gave counts more.
    pub(crate) fn listed(&mut self, location: Option<&str>) {
        if !self.client.has_own_flight() {
            self.named(location);
        }
    }

    /// Connects to the next place.
    pub(crate) async fn connect(&mut self) -> Result<FlightServiceClient<Channel>, Error> {
        if let Some(address) = self.named.take() {
            let address = address.reachable_beside(self.client.control_address());
            return self.client.flight_at(&address).await;
        }
        let addresses = self.client.flight_addresses().await?;
        let Some(address) = addresses.get(self.turn % addresses.len().max(1)) else {
            return Err(Error::Unreachable {
                address: self.client.control_address().to_string(),
                message: "no worker is connected to the control plane".to_owned(),
            });
        };
        self.turn = self.turn.wrapping_add(1);
        self.client.flight_at(address).await
    }
}
