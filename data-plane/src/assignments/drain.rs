//! ENTITY_PAUSE as the worker does it: gate inputs, finish what is held, wait (companion.md section 14).
//!
//! Invariants: until it is released nothing new enters the entities of a drain, drained or not; once it is released it
//! gates nothing any more and its wait ends. Emitters drain in the order of the list; ingestors that follow one another
//! drain together, because one may wait for branch instances that another one's buffers hold.

use std::sync::Arc;

use futures::future::try_join_all;
use nervix_clock::{PhysicalClock, PhysicalInstant};
use nervix_emitter::EmitterHandle;
use nervix_ingestor::IngestorHandle;
use nervix_relay::{Gate, Relay};
use nervix_source_client::{Inlet, InletState};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::spec::EntityName;

const RELEASED: &str = "the drain was given up before it was done";

/// One entity to be drained.
pub(crate) enum Step {
    Ingestor {
        entity: EntityName,
        inlet: Arc<Inlet>,
        handle: IngestorHandle,
    },
    Emitter {
        entity: EntityName,
        sources: Vec<Arc<Relay>>,
        handle: EmitterHandle,
    },
}

impl Step {
    fn is_ingestor(&self) -> bool {
        matches!(self, Self::Ingestor { .. })
    }
}

/// What a drain holds closed until it is released.
#[derive(Default)]
pub(crate) struct Hold {
    gates: Mutex<Vec<Gate>>,
    released: CancellationToken,
}

impl Hold {
    /// Opens the gates of the relays; from now on nothing is gated under this hold.
    pub(crate) fn release(&self) {
        let gates = {
            let mut gates = self.gates.lock();
            self.released.cancel();
            std::mem::take(&mut *gates)
        };
        drop(gates);
    }

    /// Closes something unless the hold is released; the gates that `close` gives are kept until then.
    fn close(&self, close: impl FnOnce() -> Vec<Gate>) -> Result<(), String> {
        let mut gates = self.gates.lock();
        if self.released.is_cancelled() {
            return Err(RELEASED.to_owned());
        }
        gates.extend(close());
        Ok(())
    }
}

/// Drains in order.
///
/// # Errors
/// What was not finished at `deadline`, in a sentence, or that the hold was released before.
pub(crate) async fn drain(
    steps: Vec<Step>,
    hold: Arc<Hold>,
    (clock, deadline): (PhysicalClock, PhysicalInstant),
) -> Result<(), String> {
    let released = hold.released.clone();
    let drained = async {
        for round in rounds(steps) {
            try_join_all(
                round
                    .into_iter()
                    .map(|step| take(step, &hold, (&clock, deadline))),
            )
            .await?;
        }
        Ok(())
    };
    released
        .run_until_cancelled(drained)
        .await
        .unwrap_or_else(|| Err(RELEASED.to_owned()))
}

/// Neighbouring ingestors are one round, each emitter is one of its own.
fn rounds(steps: Vec<Step>) -> Vec<Vec<Step>> {
    let mut rounds: Vec<Vec<Step>> = Vec::new();
    for step in steps {
        match rounds.last_mut() {
            Some(round) if step.is_ingestor() && round.iter().all(Step::is_ingestor) => round.push(step),
            _ => rounds.push(vec![step]),
        }
    }
    rounds
}

async fn take(
    step: Step,
    hold: &Hold,
    (clock, deadline): (&PhysicalClock, PhysicalInstant),
) -> Result<(), String> {
    match step {
        Step::Ingestor {
            entity,
            inlet,
            handle,
        } => {
            hold.close(|| {
                if matches!(inlet.state(), InletState::Open(_)) {
                    inlet.set(InletState::Gated);
                }
                Vec::new()
            })?;
            match clock.timeout_at(deadline, handle.drain()).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(format!("{entity} ended before it was drained")),
                Err(_) => Err(format!(
                    "{entity} still holds rows that a full relay does not take"
                )),
            }
        }
        Step::Emitter {
            entity,
            sources,
            handle,
        } => {
            hold.close(|| sources.iter().map(Relay::gate).collect())?;
            handle
                .drain(deadline)
                .await
                .map_err(|error| format!("{entity}: {error}"))
        }
    }
}
