//! TLS from files: who is trusted, and who this client is.
//!
//! Invariants: the certificate and the host are always verified, and nothing turns that off. The files are read again
//! for each connection, so a renewed certificate is taken; what is made of them is kept only while they stay the same.
//! Deliberately absent: revocation lists, and keys that need a password.

mod fault;
mod files;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nervix_clock::{PhysicalClock, PhysicalInstant};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub use self::fault::{TlsFault, TlsFaultKind};
use self::files::Contents;
pub use self::files::{FILE_BYTES_MAX, Identity, TlsFiles};

/// How long the system's trusted roots are kept before they are read again: there are hundreds of them.
const SYSTEM_ROOTS_KEPT: Duration = Duration::from_secs(60);

/// The client side of TLS for one CLIENT.
pub struct TlsClient {
    files: TlsFiles,
    protocols: &'static [&'static str],
    clock: PhysicalClock,
    made: Mutex<Option<Made>>,
    roots: Mutex<Option<(PhysicalInstant, Arc<RootCertStore>)>>,
}

/// What was made of the files when they were read last.
struct Made {
    contents: Contents,
    roots: Arc<RootCertStore>,
    config: Arc<ClientConfig>,
}

impl TlsClient {
    /// A client that reads `files` when it connects, and offers `protocols` (ALPN), if any.
    pub fn new(files: TlsFiles, protocols: &'static [&'static str], clock: PhysicalClock) -> Self {
        Self {
            files,
            protocols,
            clock,
            made: Mutex::new(None),
            roots: Mutex::new(None),
        }
    }

    /// The configuration that the files give now.
    ///
    /// # Errors
    /// Which file is not what it should be, and what would be right.
    pub async fn config(&self) -> Result<Arc<ClientConfig>, TlsFault> {
        let contents = self.files.read().await?;
        let system = if contents.has_ca() {
            None
        } else {
            Some(self.system_roots().await?)
        };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made
            && made.contents == contents
            && system
                .as_ref()
                .is_none_or(|roots| Arc::ptr_eq(roots, &made.roots))
        {
            return Ok(Arc::clone(&made.config));
        }
        let roots = match system {
            Some(roots) => roots,
            None => Arc::new(contents.roots(&self.files)?),
        };
        let mut config = contents.config(&self.files, Arc::clone(&roots))?;
        config.alpn_protocols = self
            .protocols
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .collect();
        let config = Arc::new(config);
        *made = Some(Made {
            contents,
            roots,
            config: Arc::clone(&config),
        });
        Ok(config)
    }

    /// The system's roots, read at most once in [`SYSTEM_ROOTS_KEPT`].
    async fn system_roots(&self) -> Result<Arc<RootCertStore>, TlsFault> {
        let now = self.clock.now();
        let kept = self.roots.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((until, roots)) = kept
            && now < until
        {
            return Ok(roots);
        }
        let roots = Arc::new(files::system_roots().await?);
        let until = now.after(SYSTEM_ROOTS_KEPT);
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = Some((until, Arc::clone(&roots)));
        Ok(roots)
    }

    /// Reads the files for one connection to `host`.
    pub(crate) async fn negotiator(&self, host: &str) -> Result<Negotiator, TlsFault> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| TlsFault::host(host))?;
        Ok(Negotiator {
            name,
            connector: TlsConnector::from(self.config().await?),
        })
    }
}

impl std::fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlsClient")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// One negotiation to come.
pub(crate) struct Negotiator {
    name: ServerName<'static>,
    connector: TlsConnector,
}

impl Negotiator {
    pub(crate) async fn negotiate(self, stream: TcpStream) -> Result<TlsStream<TcpStream>, TlsFault> {
        let negotiated = self.connector.connect(self.name, stream).await;
        negotiated.map_err(|error| TlsFault::in_handshake(&error))
    }
}
