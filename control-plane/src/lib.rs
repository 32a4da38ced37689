//! The control plane: catalog, change, schedule, rollout, describe and the public API.
