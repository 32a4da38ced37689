//! Names to addresses, anew for every dial.
//!
//! Invariant: no answer is kept. A name that stopped resolving, or returns elsewhere, is seen by the next dial.
//! Name servers, search list and hosts file are the system's and are read again when their files changed, so that a
//! process follows them as one would that asks the C library.
//! Deliberately absent: retries beyond those that the system's configuration asks for; the emitter's backoff keeps a
//! missing name from flooding name servers.

mod system;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig, ResolverOpts};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};

use self::system::SystemNames;
use crate::endpoint::Endpoint;
use crate::fault::NameFault;

/// The most addresses of one name that are tried.
pub const ADDRESSES_MAX: usize = 16;

/// Resolves names. Cheap to clone.
#[derive(Clone)]
pub struct Resolver {
    source: Source,
}

#[derive(Clone)]
enum Source {
    System(Arc<SystemNames>),
    Servers(Arc<TokioResolver>),
}

impl Resolver {
    /// Asks whom the system's configuration names.
    pub fn system() -> Self {
        Self {
            source: Source::System(Arc::default()),
        }
    }

    /// Asks these name servers, and neither a hosts file nor a search list.
    ///
    /// # Errors
    /// When no resolver can be made of them.
    pub fn of_servers(servers: &[SocketAddr]) -> Result<Self, NameFault> {
        let servers = servers.iter().map(|server| {
            let at_port = |mut connection: ConnectionConfig| {
                connection.port = server.port();
                connection
            };
            let ways = vec![at_port(ConnectionConfig::udp()), at_port(ConnectionConfig::tcp())];
            NameServerConfig::new(server.ip(), true, ways)
        });
        let config = ResolverConfig::from_parts(None, Vec::new(), servers.collect());
        let mut options = ResolverOpts::default();
        options.use_hosts_file = hickory_resolver::config::ResolveHosts::Never;
        let resolver = build(config, options).map_err(|error| fault(&error))?;
        Ok(Self {
            source: Source::Servers(Arc::new(resolver)),
        })
    }

    /// The addresses of a host, at least one and at most [`ADDRESSES_MAX`], in the order in which they are tried. An
    /// address is its own answer.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn addresses(&self, endpoint: &Endpoint) -> Result<Vec<IpAddr>, NameFault> {
        if let Some(address) = endpoint.address() {
            return Ok(vec![address]);
        }
        let host = endpoint.host();
        let found = match &self.source {
            Source::Servers(resolver) => resolver.lookup_ip(host).await,
            Source::System(system) => {
                let said = system.said().map_err(|error| fault(&error))?;
                let mut own = said.in_hosts(host);
                if !own.is_empty() {
                    own.truncate(ADDRESSES_MAX);
                    return Ok(own);
                }
                said.resolver.lookup_ip(host).await
            }
        };
        let addresses: Vec<IpAddr> = found
            .map_err(|error| fault(&error))?
            .iter()
            .take(ADDRESSES_MAX)
            .collect();
        if addresses.is_empty() {
            return Err(NameFault::NoAddress);
        }
        Ok(addresses)
    }
}

impl std::fmt::Debug for Resolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}

/// A resolver that keeps no answer.
fn build(config: ResolverConfig, mut options: ResolverOpts) -> Result<TokioResolver, NetError> {
    use std::time::Duration;

    options.cache_size = 0;
    // An answer is out of date as soon as it is there, should the empty cache hold it for a moment.
    options.positive_max_ttl = Some(Duration::ZERO);
    options.negative_max_ttl = Some(Duration::ZERO);
    // IPv4 first: where only one of the two has a route, it is that one.
    options.ip_strategy = hickory_resolver::config::LookupIpStrategy::Ipv4AndIpv6;
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    *builder.options_mut() = options;
    builder.build()
}

/// The cause behind what the resolver says.
fn fault(error: &NetError) -> NameFault {
    match error {
        error if error.is_nx_domain() => NameFault::Missing,
        error if error.is_no_records_found() => NameFault::NoAddress,
        NetError::Timeout => NameFault::Unanswered,
        NetError::Dns(DnsError::ResponseCode(code)) => NameFault::Answered(code.to_string()),
        NetError::Proto(_) | NetError::Message(_) | NetError::Msg(_) => NameFault::Invalid,
        _ => NameFault::Unreachable,
    }
}
