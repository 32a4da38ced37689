//! The emitter, stage by stage, from a relay batch to a settled acknowledgement (design section 4; `emitters.txt`).
//!
//! [`Emitter::new`] compiles a definition and makes ready one run; [`Emitter::run`] is the run's task, which its
//! supervisor runs; [`EmitterHandle`] asks of it: status, kick, drain, stop. `pipeline.rs` alone knows the order of the
//! stages. `flush`, `pack`, `window`, `lanes`, `retained` and `retry` are pure machines: events and instants go
//! in, decisions come out. Only `settle` touches acknowledgements, and what never gets there resolves as unresolved.
//!
//! What is deliberately not here: any product (sinks are shapes of `nervix-sink`), Flight, spawning, reading a clock that
//! was not handed over.

mod admit;
mod alarm;
mod carrier;
mod construct;
mod counters;
mod dependencies;
mod emitter;
mod encode;
mod error_route;
mod errors;
mod event;
mod failed;
mod filter;
mod flush;
mod handle;
mod headers;
mod histogram;
mod inputs;
mod lane;
mod lanes;
mod live;
mod open;
mod pace;
mod pending;
mod pipeline;
mod plan;
mod publish;
mod rate;
mod rejections;
mod retained;
mod retry;
mod settle;
mod status;
mod taking;
mod window;
mod wire_key;
mod written;

pub use admit::{BATCH_OVERHEAD_BYTES, READ_AHEAD_BYTES};
pub use counters::{
    CounterSnapshot, EmitterCounters, FlowCount, LATENCY_BUCKETS_US, MESSAGES_BUCKETS, RejectedCount,
};
pub use emitter::{Emitter, EmitterParts, RunEnd};
pub use event::{
    CHANGES_MAX, CHANGES_PERIOD, EmitterEvent, EmitterEventKind, EmitterEvents, NoEvents, REJECTED_EVERY,
};
pub use handle::{DrainError, EmitterHandle};
pub use histogram::HistogramSnapshot;
pub use open::{Opened, Opener, Supply};
pub use plan::StartError;
pub use publish::payload::LEFTOVER_MAX;
pub use retry::ASKED_DELAY_MAX;
pub use status::{EmitterState, EmitterStatus, PendingStatus, RateStatus, TransientError, WaitingStatus};
