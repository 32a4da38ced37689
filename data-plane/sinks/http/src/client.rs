//! What the emitters of one TYPE HTTP client share: its settings, its dialler and its TLS.

use std::sync::Arc;

use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_net::{Dialler, Resolver, TlsClient};
use nervix_sink::{OpenError, OpenSink, RequestSink, SinkClient, SinkContext, World};
use nspl_model::{ClientDef, EmitterDef};

use crate::config::HttpConfig;
use crate::fault::AttemptFault;
use crate::send::HttpSink;

/// The protocol that is offered in TLS.
const PROTOCOLS: &[&str] = &["http/1.1"];

/// Reads the settings of `client`. No probe is sent, here or when a sink is opened.
///
/// # Errors
/// When a setting is missing.
pub fn connect(client: &Arc<ClientDef>, world: World) -> Result<Arc<dyn SinkClient>, OpenError> {
    let shared = Shared::read(client, Dialler::new(Resolver::system(), world.clock))?;
    Ok(Arc::new(HttpClient {
        shared: Arc::new(shared),
    }))
}

/// A sink of its own that dials through a dialler of the caller's: for whoever has no worker around it.
///
/// # Errors
/// When a setting is missing, or a file of TLS is not what it should be.
pub async fn open_through(client: &ClientDef, dialler: Dialler) -> Result<Box<dyn RequestSink>, OpenError> {
    open(Arc::new(Shared::read(client, dialler)?)).await
}

impl Shared {
    fn read(client: &ClientDef, dialler: Dialler) -> Result<Self, OpenError> {
        let config = HttpConfig::read(client)?;
        let files = config.tls.clone();
        let tls = files.map(|files| TlsClient::new(files, PROTOCOLS, dialler.clock().clone()));
        Ok(Self { config, dialler, tls })
    }
}

/// The settings of a client, and what dials for them.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: HttpConfig,
    pub(crate) dialler: Dialler,
    /// There is one for an https origin.
    pub(crate) tls: Option<TlsClient>,
}

struct HttpClient {
    shared: Arc<Shared>,
}

impl SinkClient for HttpClient {
    fn open(
        &self,
        _def: Arc<EmitterDef>,
        _context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move { open(shared).await.map(OpenSink::Requests) })
    }

    fn drain(&self, _deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        // Nothing outlives an attempt.
        Box::pin(std::future::ready(()))
    }
}

/// Reads the files of TLS, so that what is wrong with them is told before there is a record to send.
async fn open(shared: Arc<Shared>) -> Result<Box<dyn RequestSink>, OpenError> {
    if let Some(tls) = &shared.tls {
        let read = tls.config().await;
        read.map_err(|fault| OpenError::Unavailable(AttemptFault::from(fault).failure()))?;
    }
    Ok(Box::new(HttpSink::new(shared)))
}
