//! The system's name servers, search list and hosts file, followed as they change.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use hickory_resolver::config::{NameServerConfig, ResolverConfig, ResolverOpts};
use hickory_resolver::net::NetError;
use hickory_resolver::proto::op::Query;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::system_conf::read_system_conf;
use hickory_resolver::{Hosts, TokioResolver};

use super::build;

/// The files that decide.
const FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];

/// When a file changed last, and how long it is; nothing where it is not there.
type Print = Option<(SystemTime, u64)>;

/// What the files say, and which ones they were.
#[derive(Default)]
pub(super) struct SystemNames {
    made: Mutex<Option<([Print; FILES.len()], Arc<Said>)>>,
}

/// What the files say.
pub(super) struct Said {
    hosts: Hosts,
    /// Of the name servers.
    pub(super) resolver: TokioResolver,
}

impl Said {
    /// What the hosts file has for a host. Where it has something that is all: name servers are not asked for more, so that
    /// they need not be there, as with the C library.
    pub(super) fn in_hosts(&self, host: &str) -> Vec<IpAddr> {
        in_hosts(&self.hosts, host)
    }
}

fn in_hosts(hosts: &Hosts, host: &str) -> Vec<IpAddr> {
    let Ok(name) = Name::from_utf8(host) else {
        return Vec::new();
    };
    let found = [RecordType::A, RecordType::AAAA]
        .into_iter()
        .filter_map(|kind| hosts.lookup_static_host(&Query::query(name.clone(), kind)));
    let addresses = found.flat_map(|found| {
        let addresses = found.answers().iter().filter_map(|record| record.data.ip_addr());
        addresses.collect::<Vec<IpAddr>>()
    });
    addresses.collect()
}

impl SystemNames {
    /// What the files say now. Looking at them takes two calls of the system, and reading them two small local files, which
    /// is why no thread is bothered with it.
    pub(super) fn said(&self) -> Result<Arc<Said>, NetError> {
        let prints = FILES.map(print);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((old, said)) = &*made
            && *old == prints
        {
            return Ok(Arc::clone(said));
        }
        let (config, options) = read_system_conf().unwrap_or_else(|_| without_file());
        let said = Arc::new(Said {
            hosts: Hosts::from_system().unwrap_or_default(),
            resolver: build(config, options)?,
        });
        *made = Some((prints, Arc::clone(&said)));
        Ok(said)
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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use hickory_resolver::Hosts;

    use super::in_hosts;

    #[test]
    fn what_the_hosts_file_has_of_a_name_is_all_of_it() {
        let mut hosts = Hosts::default();
        let file = "127.0.0.2 four four.example\n::2 six\n::3 both\n127.0.0.3 Both\n";
        hosts.read_hosts_conf(file.as_bytes()).expect("a hosts file");
        let said = |host: &str| in_hosts(&hosts, host);
        let addresses = |texts: &[&str]| -> Vec<IpAddr> {
            let addresses = texts.iter().map(|text| text.parse().expect("an address"));
            addresses.collect()
        };
        assert_eq!(said("four.example"), addresses(&["127.0.0.2"]));
        assert_eq!(said("FOUR"), addresses(&["127.0.0.2"]));
        assert_eq!(said("six"), addresses(&["::2"]));
        assert_eq!(said("both"), addresses(&["127.0.0.3", "::3"]), "IPv4 first");
        assert_eq!(said("elsewhere.example"), addresses(&[]));
    }
}
