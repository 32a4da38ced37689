//! The system's name servers, search list and hosts file, followed as they change.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolverConfig, ResolverOpts};
use hickory_resolver::net::NetError;
use hickory_resolver::system_conf::read_system_conf;

use super::build;

/// The files that decide.
const FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];

/// When a file changed last, and how long it is; nothing where it is not there.
type Print = Option<(SystemTime, u64)>;

/// A resolver, and the files that it was made of.
#[derive(Default)]
pub(super) struct SystemNames {
    made: Mutex<Option<([Print; FILES.len()], TokioResolver)>>,
}

impl SystemNames {
    /// A resolver of the files as they are now. Looking at them takes two calls of the system, and reading them two small
    /// local files, which is why no thread is bothered with it.
    pub(super) fn resolver(&self) -> Result<TokioResolver, NetError> {
        let prints = FILES.map(print);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((old, resolver)) = &*made
            && *old == prints
        {
            return Ok(resolver.clone());
        }
        let (config, options) = read_system_conf().unwrap_or_else(|_| without_file());
        let resolver = build(config, options)?;
        *made = Some((prints, resolver.clone()));
        Ok(resolver)
    }
}

/// What resolv.conf(5) says of a machine that names no server: the name server of the machine itself is asked.
fn without_file() -> (ResolverConfig, ResolverOpts) {
    let own = NameServerConfig::udp_and_tcp(IpAddr::V4(Ipv4Addr::LOCALHOST));
    (
        ResolverConfig::from_parts(None, Vec::new(), vec![own]),
        ResolverOpts::default(),
    )
}

fn print(path: &str) -> Print {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
