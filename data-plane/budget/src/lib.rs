//! The node's byte budget: what is held, and who waits for it.
