//! A connection from its name to its settings.

use std::time::Duration;

use nervix_budget::Budget;
use nervix_net::{Dialler, Endpoint, NetFault, TlsClient};
use tokio::net::TcpStream;
use tokio_postgres::NoTls;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::bounded::{Bounded, BoundedTls, Intake, Quotable};
use crate::config::PostgresConfig;
use crate::fault::{During, Fault};
use crate::session::Session;

/// What text of a value means is the statement's and the value's business, not that of the server's settings.
const SETTINGS: &str = "SET TimeZone TO 'UTC'; SET DateStyle TO 'ISO, YMD'; SET IntervalStyle TO 'postgres'";

/// Ends a statement whose connection was given up, so that it holds no lock and no place among the server's connections.
const CHECKS_CLIENT: &str = "SET client_connection_check_interval TO '5s'";

/// The first version that knows [`CHECKS_CLIENT`].
const CHECKS_CLIENT_FROM: u32 = 14;

/// What connections of one client are made with.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: PostgresConfig,
    pub(crate) dialler: Dialler,
    /// The node's byte budget.
    pub(crate) budget: Budget,
    /// There is one for `sslmode=verify-full`.
    pub(crate) tls: Option<TlsClient>,
}

impl Shared {
    /// Connects to the first of the hosts that takes a connection, and writes where that is asked for.
    pub(crate) async fn dial(&self) -> Result<Session, Fault> {
        let clock = self.dialler.clock();
        let deadline = clock.now().after(self.config.connect_time);
        // A missing file is told although nothing listens.
        if let Some(tls) = &self.tls {
            tls.config().await?;
        }
        let mut first = None;
        let hosts = self.config.endpoints.len();
        for (index, endpoint) in self.config.endpoints.iter().enumerate() {
            // A host that swallows everything leaves time for the next.
            let now = clock.now();
            let left = u32::try_from(hosts - index).unwrap_or(u32::MAX);
            let time = deadline.since(now) / left;
            match self.open(endpoint, time).await {
                Err(fault) if fault.is_of_one_host() => first = first.or(Some(fault)),
                opened => return opened,
            }
        }
        let none = NetFault::Name {
            host: String::new(),
            cause: nervix_net::NameFault::Invalid,
        };
        Err(first.unwrap_or(none.into()))
    }

    /// Connects to one host within `time`.
    async fn open(&self, endpoint: &Endpoint, time: Duration) -> Result<Session, Fault> {
        let clock = self.dialler.clock();
        let until = clock.now().after(time);
        let stream = self.dialler.dial(endpoint, until).await?;
        match clock
            .timeout_at(until, Box::pin(self.log_in(endpoint, stream)))
            .await
        {
            Ok(logged_in) => logged_in,
            Err(_) => Err(Fault::ConnectTimedOut(time.as_millis())),
        }
    }

    async fn log_in(&self, endpoint: &Endpoint, stream: TcpStream) -> Result<Session, Fault> {
        let told = |error: tokio_postgres::Error| Fault::of(&error, During::Connecting);
        let login = &self.config.login;
        let quotable = Quotable::default();
        let intake = Intake::new(self.budget.clone(), quotable.clone());
        let (mut session, version) = match &self.tls {
            None => {
                let (client, connection) = login
                    .connect_raw(Bounded::new(stream, intake), NoTls)
                    .await
                    .map_err(told)?;
                let version = version(connection.parameter("server_version"));
                (Session::new(client, connection, quotable), version)
            }
            Some(tls) => {
                let config = tls.config().await?;
                let mut make = MakeRustlsConnect::new((*config).clone());
                let connector = MakeTlsConnect::<TcpStream>::make_tls_connect(&mut make, endpoint.host());
                let connector = connector.map_err(|error| Fault::Login(error.to_string()))?;
                let (client, connection) = login
                    .connect_raw(stream, BoundedTls::new(connector, intake))
                    .await
                    .map_err(told)?;
                let version = version(connection.parameter("server_version"));
                (Session::new(client, connection, quotable), version)
            }
        };
        session.run(SETTINGS).await.map_err(told)?;
        if self.config.needs_writes && session.is_read_only().await.map_err(told)? {
            session.close().await;
            return Err(Fault::ReadOnly);
        }
        if version >= CHECKS_CLIENT_FROM
            && let Err(error) = session.run(CHECKS_CLIENT).await
            // A machine of the server that cannot look does without.
            && error.as_db_error().is_none()
        {
            return Err(told(error));
        }
        Ok(session)
    }
}

/// The first number of a version like `15.8 (Debian 15.8-0+deb12u1)`.
fn version(text: Option<&str>) -> u32 {
    let digits: String = text
        .unwrap_or_default()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn the_first_number_of_a_version_counts() {
        assert_eq!(version(Some("15.8 (Debian 15.8-0+deb12u1)")), 15);
        assert_eq!(version(Some("9.6.24")), 9);
        assert_eq!(version(Some("17beta1")), 17);
        assert_eq!(version(None), 0);
    }
}
