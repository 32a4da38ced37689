//! The stream to the control plane: register, lease, assignments down, status and events up.
//!
//! Invariant: nothing that is executed depends on the stream being there; while it is away it is tried again with a
//! bounded backoff, and assignments stay as they are. The protocol of the stream ends here.

mod description;
mod files;
mod link;
mod translate;
mod way;

pub(crate) use files::ControlPlaneFiles;
pub(crate) use link::{Link, Order, Reply};
pub use way::ControlPlaneAt;
pub(crate) use way::Way;
