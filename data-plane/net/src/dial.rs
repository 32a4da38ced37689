//! Dialling: resolve, try each address, negotiate TLS, all before one deadline.

use std::net::SocketAddr;
use std::time::Duration;

use nervix_clock::{PhysicalClock, PhysicalInstant};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::endpoint::Endpoint;
use crate::fault::{ConnectFault, NetFault, Step};
use crate::resolver::Resolver;
use crate::tls::TlsClient;

/// The least time that an address gets while time is left, however many addresses follow it.
const ADDRESS_SHARE_MIN: Duration = Duration::from_secs(2);

/// Makes connections. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Dialler {
    resolver: Resolver,
    clock: PhysicalClock,
}

impl Dialler {
    /// A dialler that asks `resolver` for names and `clock` for the time.
    pub fn new(resolver: Resolver, clock: PhysicalClock) -> Self {
        Self { resolver, clock }
    }

    /// The clock that its deadlines belong to.
    pub fn clock(&self) -> &PhysicalClock {
        &self.clock
    }

    /// Connects to the first address of `endpoint` that takes a connection before `deadline`. Each address has an equal
    /// share of what time is left, so that one that swallows everything leaves time for the next. Small writes leave at
    /// once (TCP_NODELAY).
    ///
    /// # Errors
    /// Why there is no connection.
    pub async fn dial(&self, endpoint: &Endpoint, deadline: PhysicalInstant) -> Result<TcpStream, NetFault> {
        let timed_out = |step| NetFault::TimedOut {
            endpoint: endpoint.clone(),
            step,
        };
        let resolving = self.resolver.addresses(endpoint);
        let addresses = self.clock.timeout_at(deadline, resolving).await;
        let addresses = addresses
            .map_err(|_| timed_out(Step::Resolving))?
            .map_err(|cause| NetFault::Name {
                host: endpoint.host().to_owned(),
                cause,
            })?;
        let mut first = None;
        for (index, address) in addresses.iter().enumerate() {
            let address = SocketAddr::new(*address, endpoint.port());
            let until = self.share(deadline, addresses.len() - index);
            let cause = match self.clock.timeout_at(until, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => match stream.set_nodelay(true) {
                    Ok(()) => return Ok(stream),
                    Err(error) => ConnectFault::of(&error),
                },
                Ok(Err(error)) => ConnectFault::of(&error),
                Err(_) if self.clock.now() >= deadline => return Err(timed_out(Step::Connecting)),
                Err(_) => ConnectFault::TimedOut,
            };
            first.get_or_insert(cause);
        }
        Err(NetFault::Connect {
            endpoint: endpoint.clone(),
            cause: first.unwrap_or(ConnectFault::Unreachable),
        })
    }

    /// [`Self::dial`], then TLS with the host of `endpoint` as the name that the certificate has to be valid for.
    ///
    /// # Errors
    /// Why there is no connection, or no TLS.
    pub async fn dial_tls(
        &self,
        endpoint: &Endpoint,
        tls: &TlsClient,
        deadline: PhysicalInstant,
    ) -> Result<TlsStream<TcpStream>, NetFault> {
        let connecting = async {
            // Before the connection: a missing file is told although nothing listens.
            let negotiator = tls.negotiator(endpoint.host()).await.map_err(NetFault::Tls)?;
            let stream = self.dial(endpoint, deadline).await?;
            negotiator.negotiate(stream).await.map_err(NetFault::Tls)
        };
        match self.clock.timeout_at(deadline, connecting).await {
            Ok(done) => done,
            Err(_) => Err(NetFault::TimedOut {
                endpoint: endpoint.clone(),
                step: Step::Negotiating,
            }),
        }
    }

    /// When the next of `left` addresses has had its share.
    fn share(&self, deadline: PhysicalInstant, left: usize) -> PhysicalInstant {
        let now = self.clock.now();
        let share = deadline.since(now) / u32::try_from(left).unwrap_or(u32::MAX);
        now.after(share.max(ADDRESS_SHARE_MIN)).min(deadline)
    }
}
