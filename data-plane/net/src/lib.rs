//! Names, connections and TLS of destinations: the only room that resolves a name or dials a connection for a record.
//!
//! Every dial begins anew. The name is asked again, so a destination that moves is followed; all its addresses are
//! tried; the files of TLS are read again, so a renewed certificate is taken without a restart. Whatever keeps a
//! connection from being made becomes a typed [`NetFault`], the same for every destination.
//!
//! Invariants: nothing here outlasts the deadline that it was given, which is one of the physical clock; a fault names
//! hosts, ports and files of the client's configuration, never the content of a file or anything of a record.
//! Deliberately absent: retrying, backing off, pooling, proxies, and what is said over a connection. librdkafka
//! resolves and dials by itself, the one exception (rulings section 9, Kafka and names). Connections between processes of
//! Nervix (a worker's to its control plane, one control plane's to another, the store's to etcd, the SDK's to a server) are no
//! destinations: no record leaves by them, they are there in builds without this room, and their transports resolve as
//! the C library does.

mod dial;
mod endpoint;
mod fault;
mod resolver;
mod tls;

pub use dial::Dialler;
pub use endpoint::Endpoint;
pub use fault::{ConnectFault, NameFault, NetFault, Step};
pub use resolver::{ADDRESSES_MAX, Resolver};
pub use tls::{FILE_BYTES_MAX, Identity, TlsClient, TlsFault, TlsFaultKind, TlsFiles};
/// The stream of a TLS connection that [`Dialler::dial_tls`] made.
pub use tokio_rustls::client::TlsStream;
