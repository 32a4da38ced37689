//! The control plane from outside: scripts over the public API, and workers that speak its protocol.

mod changes;
mod harness;
mod placement;
mod reference;
mod resources;
mod restarts;
mod rollout;
mod scripts;
mod several;
mod store;
mod surface;
mod turns;
mod uploads;
