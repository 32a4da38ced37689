//! The emitter, stage by stage, from a relay batch to a settled acknowledgement.
