//! What the emitters of one CLIENT share on a node, and how a destination's crate hands it out.
//!
//! Each crate has one function of the type [`Connect`]; the registry of the worker has a line for it. Everything else is
//! a method of what that function gives.

use std::sync::Arc;

use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nspl_model::{ClientDef, EmitterDef};

use crate::context::{SinkContext, World};
use crate::open::{OpenError, OpenSink};

/// `connect(client, world)` of a destination's crate: reads CONFIG, whose mounts are already paths of this node, and makes
/// what the emitters of the CLIENT share: a pool, a set of properties. It opens no connection and does not wait, so that
/// an absent destination fails in [`SinkClient::open`] or at the first write, by the retry policy of each emitter.
pub type Connect = fn(&Arc<ClientDef>, World) -> Result<Arc<dyn SinkClient>, OpenError>;

/// A CLIENT on this node, shared by its emitters. Dropped when the last of them has ended; [`SinkClient::drain`] before
/// that, when the node has time for it.
pub trait SinkClient: Send + Sync {
    /// Opens the sink of one emitter. What one emitter does must not stall another: a producer per emitter, a pool for all.
    /// It may wait for the destination; whoever waits may drop the future, and calls again after the backoff.
    ///
    /// # Errors
    /// [`OpenError::Unavailable`] when opening again later can help.
    fn open(
        &self,
        def: Arc<EmitterDef>,
        context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>>;

    /// Closes what is shared, until `deadline` at most. No emitter of the CLIENT runs any more.
    fn drain(&self, deadline: PhysicalInstant) -> BoxFuture<'_, ()>;
}
