//! The settings of a TYPE POSTGRES client.

use std::fmt;
use std::time::Duration;

use nervix_net::{Endpoint, TlsFiles};
use nervix_sink::{Failure, FailureKind, OpenError};
use nspl_model::ClientDef;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::limits::CONNECT_TIME;

/// Where the server is, who logs in, and how. `Debug` shows where alone.
#[derive(Clone)]
pub(crate) struct PostgresConfig {
    /// Tried in this order.
    pub(crate) endpoints: Vec<Endpoint>,
    /// User, password, database, options.
    pub(crate) login: tokio_postgres::Config,
    /// The files of TLS, for `sslmode=verify-full`.
    pub(crate) tls: Option<TlsFiles>,
    /// Whether a host that takes no writes is passed over.
    pub(crate) needs_writes: bool,
    /// Bounds one connection from its name to its settings.
    pub(crate) connect_time: Duration,
    /// POOL SIZE MIN.
    pub(crate) pool_min: usize,
    /// POOL SIZE MAX.
    pub(crate) pool_max: usize,
}

/// How an address has to look.
const FORM: &str = "an 'addr' of the form postgresql://user:password@host:port/database?sslmode=verify-full or ?sslmode=disable, \
                    with what is special in a part written as %, and no parameters but application_name, \
                    connect_timeout, options, channel_binding and target_session_attrs=read-write or =any";

/// The parameters of an address beside `sslmode`.
const PARAMETERS: [&str; 5] = [
    "application_name",
    "connect_timeout",
    "options",
    "channel_binding",
    "target_session_attrs",
];

impl PostgresConfig {
    /// Reads the settings; mounts in them are paths already.
    ///
    /// # Errors
    /// Which setting is missing, or that the address is of another form. Its text is never quoted.
    pub(crate) fn read(client: &ClientDef) -> Result<Self, OpenError> {
        let lacks = |what: &str| {
            let message = format!("Postgres client '{}' lacks {what}", client.name);
            OpenError::Unavailable(Failure::new(FailureKind::Missing, message))
        };
        let address = client.text("addr").and_then(Address::read);
        let Some(Address { mut login, encrypted }) = address else {
            return Err(lacks(FORM));
        };
        let endpoints = endpoints(&login).ok_or_else(|| lacks(FORM))?;
        let needs_writes = match login.get_target_session_attrs() {
            TargetSessionAttrs::Any => false,
            TargetSessionAttrs::ReadWrite => true,
            _ => return Err(lacks(FORM)),
        };
        login.ssl_mode(if encrypted {
            SslMode::Require
        } else {
            SslMode::Disable
        });
        if login.get_application_name().is_none() {
            login.application_name("nervix");
        }
        let (pool_min, pool_max) = client.pool.ok_or_else(|| lacks("POOL SIZE MIN and MAX"))?;
        let files = TlsFiles::named(|key| client.text(key));
        Ok(Self {
            endpoints,
            needs_writes,
            connect_time: login.get_connect_timeout().copied().unwrap_or(CONNECT_TIME),
            login,
            tls: encrypted.then_some(files),
            pool_min: pool_min as usize,
            pool_max: (pool_max as usize).max(1),
        })
    }
}

/// An address as the driver reads it, which knows no `verify-full`.
struct Address {
    login: tokio_postgres::Config,
    encrypted: bool,
}

impl Address {
    fn read(text: &str) -> Option<Self> {
        let (base, parameters) = text.split_once('?')?;
        let mut encrypted = None;
        let mut others = Vec::new();
        for parameter in parameters.split('&') {
            match parameter.split_once('=') {
                // Given twice, it is not told which of them counts.
                Some(("sslmode", _)) if encrypted.is_some() => return None,
                Some(("sslmode", "verify-full")) => encrypted = Some(true),
                Some(("sslmode", "disable")) => encrypted = Some(false),
                Some((name, _)) if PARAMETERS.contains(&name) => others.push(parameter),
                // What would be passed over in silence, or would lead elsewhere.
                _ => return None,
            }
        }
        let others = others.join("&");
        let login = format!("{}?{others}", escaped_user(base)?);
        Some(Self {
            login: login.trim_end_matches('?').parse().ok()?,
            encrypted: encrypted?,
        })
    }
}

/// The address with what is special in user and password escaped: the last `@` ends them, as validation reads it.
fn escaped_user(base: &str) -> Option<String> {
    let (scheme, rest) = base.split_once("://")?;
    let Some((user, place)) = rest.rsplit_once('@') else {
        return Some(base.to_owned());
    };
    let user = user.replace('@', "%40").replace('/', "%2F");
    Some(format!("{scheme}://{user}@{place}"))
}

fn endpoints(login: &tokio_postgres::Config) -> Option<Vec<Endpoint>> {
    let ports = login.get_ports();
    let hosts = login.get_hosts().iter().enumerate();
    let endpoints = hosts.map(|(index, host)| match host {
        Host::Tcp(host) => Some(Endpoint::new(host, *ports.get(index)?)),
        #[cfg(unix)]
        Host::Unix(_) => None,
    });
    let endpoints: Vec<Endpoint> = endpoints.collect::<Option<_>>()?;
    (!endpoints.is_empty()).then_some(endpoints)
}

impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresConfig")
            .field("endpoints", &self.endpoints)
            .field("tls", &self.tls.is_some())
            .field("pool_min", &self.pool_min)
            .field("pool_max", &self.pool_max)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use nspl_model::{ClientDef, ClientKind, ConfigValue};

    use super::PostgresConfig;

    fn client(addr: &str) -> ClientDef {
        ClientDef {
            name: "pg".to_owned(),
            kind: ClientKind::Postgres,
            pool: Some((2, 8)),
            mount: None,
            config: vec![("addr".to_owned(), ConfigValue::Text(addr.to_owned()))],
        }
    }

    #[test]
    fn an_address_says_who_where_and_whether_it_is_encrypted() {
        let read = |addr: &str| PostgresConfig::read(&client(addr)).expect("an address");
        let plain = read("postgresql://u%20ser:p%40ss@127.0.0.1:5433/d?sslmode=disable");
        assert_eq!(plain.login.get_user(), Some("u ser"));
        assert_eq!(plain.login.get_password(), Some(&b"p@ss"[..]));
        assert_eq!(plain.login.get_dbname(), Some("d"));
        assert_eq!(plain.endpoints[0].to_string(), "127.0.0.1:5433");
        assert!(plain.tls.is_none());
        assert_eq!((plain.pool_min, plain.pool_max), (2, 8));
        let encrypted =
            read("postgres://u:a/b@c@db.example.com/d?options=-csearch_path%3Dshop&sslmode=verify-full");
        assert_eq!(encrypted.login.get_password(), Some(&b"a/b@c"[..]));
        assert_eq!(encrypted.login.get_options(), Some("-csearch_path=shop"));
        assert_eq!(encrypted.endpoints[0].to_string(), "db.example.com:5432");
        assert!(encrypted.tls.is_some());
        let shown = format!("{encrypted:?}");
        assert!(!shown.contains("a/b"), "{shown}");
        let second = read("postgres://u@[::1]:1,b:2/d?sslmode=disable");
        let shown: Vec<String> = second.endpoints.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["[::1]:1", "b:2"]);
        assert!(!second.needs_writes);
        let leader = read("postgres://u@a,b/d?sslmode=disable&target_session_attrs=read-write");
        assert!(leader.needs_writes);
    }

    #[test]
    fn what_would_leave_the_policy_open_is_refused_without_being_quoted() {
        for addr in [
            "postgresql://u:p4ss@h/d",
            "postgresql://u:p4ss@h/d?sslmode=require",
            "postgresql://u:p4ss@h/d?sslmode=disable&unknown=p4ss",
            "postgresql://u:p4ss@h/d?sslmode=disable&target_session_attrs=read-only",
            "postgresql://u:p4ss@/d?sslmode=disable&host=/run",
            "mysql://u:p4ss@h/d?sslmode=disable",
        ] {
            let error = PostgresConfig::read(&client(addr)).expect_err(addr);
            assert!(!error.to_string().contains("p4ss"), "{error}");
        }
    }
}
