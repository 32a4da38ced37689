//! Wire formats: finished records to payloads, and payloads back to columns (companion section 12).
//!
//! [`encoder`] compiles what CREATE CODEC says, for one emitter; [`decoder`] does the same for one ingestor. Packing is
//! the encoder's: which records at the front of a lane become the next payload is decided where their exact sizes are
//! known (`emitters.txt`, Batch payloads).
//!
//! Invariants: no payload is longer than MAX SIZE, and none that would be is ever built in full; a record ends in exactly
//! one payload or is rejected; no message quotes a value.
//!
//! Deliberately absent: publishing, acknowledgements, clocks, processes (a program runs wherever [`Jobs`] takes it).

mod bounded;
mod compile;
mod container;
mod decode;
mod encode;
mod fault;
mod jobs;
mod native;
mod pack;
mod packing;
mod programs;
mod protobuf;
mod results;
mod schemaful;
mod syslog;

pub use compile::{CompileFault, decoder, encoder};
pub use decode::{Decoded, Decoding, PayloadDecoder, RejectedPayload};
pub use encode::{LeftOut, Packed, Packing, PayloadEncoder, Rows};
pub use fault::RecordFault;
pub use jobs::{Answer, InThread, Job, JobFuture, Jobs, Limit, Place, Refused, Step, Watch};
pub use pack::{Encoding, Front, pack};
pub use programs::{Unreadable, Workshop};
pub use schemaful::json_array;
