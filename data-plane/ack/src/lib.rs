//! The acknowledgement tree: shares of a writer's batch and how they resolve.
