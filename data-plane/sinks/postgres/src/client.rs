//! What the emitters of one TYPE POSTGRES client share: its pool.

use std::sync::Arc;

use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_net::{Dialler, Resolver, TlsClient};
use nervix_sink::{Failure, FailureKind, OpenError, OpenSink, SinkClient, SinkContext, World};
use nspl_model::{ClientDef, EmitterDef, SinkDef};

use crate::config::PostgresConfig;
use crate::dial::Shared;
use crate::insert::PostgresSink;
use crate::pool::Pool;

/// Reads the settings of `client`; connections are made when an emitter opens.
///
/// # Errors
/// When a setting is missing.
pub fn connect(client: &Arc<ClientDef>, world: World) -> Result<Arc<dyn SinkClient>, OpenError> {
    let config = PostgresConfig::read(client)?;
    let dialler = Dialler::new(Resolver::system(), world.clock.clone());
    let files = config.tls.clone();
    let tls = files.map(|files| TlsClient::new(files, &[], world.clock));
    let pool = Pool::new(Shared {
        config,
        dialler,
        budget: world.budget,
        tls,
    });
    Ok(Arc::new(PostgresClient { pool: Arc::new(pool) }))
}

struct PostgresClient {
    pool: Arc<Pool>,
}

impl SinkClient for PostgresClient {
    fn open(
        &self,
        def: Arc<EmitterDef>,
        _context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        let pool = Arc::clone(&self.pool);
        Box::pin(async move {
            let SinkDef::Postgres(sink) = &def.sink else {
                let failure = Failure::new(FailureKind::Missing, "the sink is none of Postgres");
                return Err(OpenError::Unavailable(failure));
            };
            let opened = PostgresSink::open(Arc::clone(&pool), sink.clone(), Arc::clone(&def.output)).await;
            let opened = opened.map_err(|fault| OpenError::Unavailable(fault.failure()))?;
            pool.fill().await;
            Ok(OpenSink::Rows(Box::new(opened)))
        })
    }

    fn drain(&self, deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        Box::pin(self.pool.close(deadline))
    }
}
