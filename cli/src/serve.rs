//! The serving commands: what they share, and one file for each.

pub(crate) mod control_plane;
mod declared;
pub(crate) mod dev;
#[cfg(feature = "extension")]
mod extensions;
mod http;
mod limits;
mod listen;
mod memory;
mod ports;
pub(crate) mod signals;
mod states;
mod store;
mod surface;
pub(crate) mod worker;
