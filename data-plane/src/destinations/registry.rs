//! The registry: one line for each destination, behind its feature.

use nervix_sink::Connect;
use nspl_model::SinkKind;

/// A destination.
pub(crate) struct Destination {
    /// Its kind.
    pub(crate) kind: SinkKind,
    /// Its crate's way in.
    pub(crate) connect: Connect,
}

/// The destinations that this worker was built with. CLIENT is not among them: its applications come to the worker.
pub(crate) const BUILT: &[Destination] = &[
    #[cfg(feature = "http")]
    Destination {
        kind: SinkKind::Http,
        connect: nervix_sink_http::connect,
    },
    #[cfg(feature = "kafka")]
    Destination {
        kind: SinkKind::Kafka,
        connect: nervix_sink_kafka::connect,
    },
    #[cfg(feature = "postgres")]
    Destination {
        kind: SinkKind::Postgres,
        connect: nervix_sink_postgres::connect,
    },
];
