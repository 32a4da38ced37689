//! Publishing: one driver for each shape of sink.
//!
//! A driver takes what flushes release and gives back verdicts about members; between the two it packs, sends, waits and
//! sends again. The pipeline knows no shape: it calls [`Driver`], which has a line a shape in each of its methods. The
//! pure machines are shared: lanes, window, retained and retry; pacing of a whole emitter in `pace`.

pub(crate) mod codec_job;
pub(crate) mod connection;
pub(crate) mod encoded;
pub(crate) mod flushes;
pub(crate) mod lane_book;
pub(crate) mod outlet;
pub(crate) mod payload;
pub(crate) mod refusal;
pub(crate) mod request;
pub(crate) mod rows;
pub(crate) mod session;
pub(crate) mod setbacks;
pub(crate) mod staged;
pub(crate) mod trouble;
pub(crate) mod turn;

use std::future::poll_fn;
use std::sync::Arc;

use nervix_clock::{DomainClock, DomainDeadline, PhysicalInstant};
use nervix_sink::{OpenSink, RevokeReason, SessionWatch};
use nspl_model::Shape;

use crate::carrier::Carrier;
use crate::open::Supply;
use crate::plan::{Plan, StartError};
use payload::{Leftover, PayloadDriver};
use request::RequestDriver;
use rows::RowDriver;
use session::SessionDriver;
use staged::StagedDriver;
use trouble::Trouble;
use turn::Turn;

/// The driver of one emitter.
pub(crate) enum Driver {
    /// Consumers that come for it.
    Session(Box<SessionDriver>),
    /// Encoded payloads.
    Payload(Box<PayloadDriver>),
    /// A request for each record.
    Request(Box<RequestDriver>),
    /// Rows mapped to columns or documents.
    Rows(Box<RowDriver>),
    /// Records that are staged until a commit.
    Staged(Box<StagedDriver>),
}

/// What a driver holds whose outcome is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Retention {
    /// Payloads, writes or requests that were made.
    pub(crate) units: usize,
    /// Their encoded bytes.
    pub(crate) bytes: u64,
    /// The part of them that waits to be sent again.
    pub(crate) awaiting_retry: usize,
    /// Source relays and concrete branches with work.
    pub(crate) lanes: usize,
}

impl Driver {
    /// The driver of the shape of the emitter's sink; `clock` is that of its domain.
    pub(crate) fn new(plan: &Arc<Plan>, supply: Supply, clock: &DomainClock) -> Result<Self, StartError> {
        let misfit = |what| StartError::Parts {
            emitter: plan.emitter.to_string(),
            what,
        };
        match supply {
            Supply::Open(OpenSink::Session(sink)) => {
                SessionDriver::new(plan.clone(), sink).map(|driver| Self::Session(Box::new(driver)))
            }
            Supply::Open(_) => Err(misfit("an open sink that is no session")),
            Supply::Opens(opener) => match plan.shape {
                Shape::Payload => Ok(Self::Payload(Box::new(PayloadDriver::new(plan.clone(), opener)))),
                Shape::Request => Ok(Self::Request(Box::new(RequestDriver::new(plan.clone(), opener)))),
                Shape::Rows => Ok(Self::Rows(Box::new(RowDriver::new(plan.clone(), opener)))),
                Shape::Session => Err(misfit("a session sink that is not open")),
                Shape::Staged => {
                    let policy = plan
                        .commit
                        .ok_or_else(|| misfit("a staged sink without COMMIT"))?;
                    let driver = StagedDriver::new(plan.clone(), opener, (policy, clock.clone()));
                    Ok(Self::Staged(Box::new(driver)))
                }
            },
        }
    }

    /// Takes what one flush released, in arrival order.
    pub(crate) fn release(&mut self, carriers: Vec<Carrier>) {
        match self {
            Self::Session(driver) => driver.release(carriers),
            Self::Payload(driver) => driver.flushes.release(carriers),
            Self::Request(driver) => driver.flushes.release(carriers),
            Self::Rows(driver) => driver.flushes.release(carriers),
            Self::Staged(driver) => driver.release(carriers),
        }
    }

    /// Ends when [`Driver::advance`] has something new to act on. Cancel-safe: what comes stays in the driver.
    pub(crate) async fn ready(&mut self) {
        match self {
            Self::Session(driver) => driver.ready().await,
            Self::Payload(driver) => poll_fn(|cx| driver.poll_ready(cx)).await,
            Self::Request(driver) => poll_fn(|cx| driver.poll_ready(cx)).await,
            Self::Rows(driver) => poll_fn(|cx| driver.outlet.poll_ready(cx)).await,
            Self::Staged(driver) => poll_fn(|cx| driver.outlet.poll_ready(cx)).await,
        }
    }

    /// Does everything that can be done at once. True when it stopped only to let others have their turn.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) -> bool {
        match self {
            Self::Session(driver) => driver.advance(turn),
            Self::Payload(driver) => driver.advance(turn),
            Self::Request(driver) => driver.advance(turn),
            Self::Rows(driver) => driver.advance(turn),
            Self::Staged(driver) => {
                driver.advance(turn);
                false
            }
        }
    }

    /// When something is due that no [`Driver::ready`] tells of.
    pub(crate) fn next_due(&self) -> Option<PhysicalInstant> {
        match self {
            Self::Session(driver) => driver.next_due(),
            Self::Payload(driver) => driver.next_due(),
            Self::Request(driver) => driver.outlet.next_due(),
            Self::Rows(driver) => driver.outlet.next_due(),
            Self::Staged(driver) => driver.outlet.next_due(),
        }
    }

    /// Retries at once what waits out its backoff: a force flush, or the begin of a drain (`emitters.txt`, Batch payloads).
    /// A session leaves it to its policy, since an application that asked for a retry is not helped by haste; so do requests,
    /// whose endpoint may have asked for the wait.
    pub(crate) fn hurry(&mut self) {
        match self {
            Self::Session(_) | Self::Request(_) => {}
            Self::Payload(driver) => driver.outlet.hurry(),
            Self::Rows(driver) => driver.outlet.hurry(),
            Self::Staged(driver) => driver.outlet.hurry(),
        }
    }

    /// When a boundary of the driver's own is due, in domain time.
    pub(crate) fn commit_due(&self) -> Option<DomainDeadline> {
        match self {
            Self::Session(_) | Self::Payload(_) | Self::Request(_) | Self::Rows(_) => None,
            Self::Staged(driver) => driver.commit_due(),
        }
    }

    /// Whether a boundary of its own is all that it waits for.
    pub(crate) fn defers(&self) -> bool {
        match self {
            Self::Session(_) | Self::Payload(_) | Self::Request(_) | Self::Rows(_) => false,
            Self::Staged(driver) => driver.defers(),
        }
    }

    /// Waits for no boundary of its own in the next turn: each turn of a drain, and where room is wanted.
    pub(crate) fn complete(&mut self) {
        match self {
            Self::Session(_) | Self::Payload(_) | Self::Request(_) | Self::Rows(_) => {}
            Self::Staged(driver) => driver.complete(),
        }
    }

    /// Whether the destination's client holds nothing that it took and did not send; it is asked to finish. For a drain.
    pub(crate) fn finish(&mut self, now: PhysicalInstant) -> bool {
        match self {
            Self::Session(_) | Self::Request(_) | Self::Rows(_) | Self::Staged(_) => true,
            Self::Payload(driver) => driver.finish(now),
        }
    }

    /// Gives everything up: consumers are told why. What comes back has still to be awaited, where a client holds what
    /// counts as delivered.
    pub(crate) fn close(self, reason: RevokeReason) -> Option<Leftover> {
        match self {
            Self::Session(mut driver) => driver.close(reason),
            Self::Payload(driver) => return driver.close(),
            // Dropping it gives up what is under way.
            Self::Request(_) | Self::Rows(_) | Self::Staged(_) => {}
        }
        None
    }

    /// Whether it holds no member.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Session(driver) => driver.is_empty(),
            Self::Payload(driver) => driver.is_empty(),
            Self::Request(driver) => driver.is_empty(),
            Self::Rows(driver) => driver.is_empty(),
            Self::Staged(driver) => driver.is_empty(),
        }
    }

    pub(crate) fn retention(&self) -> Retention {
        match self {
            Self::Session(driver) => driver.retention(),
            Self::Payload(driver) => driver.retention(),
            Self::Request(driver) => driver.retention(),
            Self::Rows(driver) => driver.retention(),
            Self::Staged(driver) => driver.retention(),
        }
    }

    pub(crate) fn trouble(&mut self) -> &mut Trouble {
        match self {
            Self::Session(driver) => &mut driver.trouble,
            Self::Payload(driver) => &mut driver.outlet.setbacks.trouble,
            Self::Request(driver) => &mut driver.outlet.setbacks.trouble,
            Self::Rows(driver) => &mut driver.outlet.setbacks.trouble,
            Self::Staged(driver) => &mut driver.outlet.setbacks.trouble,
        }
    }

    /// Reads a session's status from outside of the task; none for the other shapes.
    pub(crate) fn watch(&self) -> Option<Arc<dyn SessionWatch>> {
        match self {
            Self::Session(driver) => Some(driver.watch()),
            Self::Payload(_) | Self::Request(_) | Self::Rows(_) | Self::Staged(_) => None,
        }
    }
}
