//! ENTITY_PAUSE as the worker does it: gate inputs, finish what is held, wait (companion.md section 14).
//!
//! Invariant: until it is released nothing new enters the entities of a drain, drained or not; releasing opens what
//! nothing else has touched meanwhile. The order of the list is the order of draining.

use std::sync::Arc;

use nervix_clock::{PhysicalClock, PhysicalInstant};
use nervix_emitter::EmitterHandle;
use nervix_relay::{Gate, Relay};
use parking_lot::Mutex;

use super::spec::EntityName;
use crate::{
    ingestor::IngestorHandle,
    inlet::{Inlet, InletState},
};

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

/// What a drain holds closed until it is released.
#[derive(Default)]
pub(crate) struct Hold {
    gates: Mutex<Vec<Gate>>,
}

/// Drains in order.
///
/// # Errors
/// What was not finished at `deadline`, in a sentence.
pub(crate) async fn drain(
    steps: Vec<Step>,
    hold: Arc<Hold>,
    (clock, deadline): (PhysicalClock, PhysicalInstant),
) -> Result<(), String> {
    for step in steps {
        match step {
            Step::Ingestor {
                entity,
                inlet,
                handle,
            } => {
                if matches!(inlet.state(), InletState::Open(_)) {
                    inlet.set(InletState::Gated);
                }
                match clock.timeout_at(deadline, handle.drain()).await {
                    Ok(true) => {}
                    Ok(false) => return Err(format!("{entity} ended before it was drained")),
                    Err(_) => {
                        return Err(format!(
                            "{entity} still holds rows that a full relay does not take"
                        ));
                    }
                }
            }
            Step::Emitter {
                entity,
                sources,
                handle,
            } => {
                hold.gates.lock().extend(sources.iter().map(Relay::gate));
                handle
                    .drain(deadline)
                    .await
                    .map_err(|error| format!("{entity}: {error}"))?;
            }
        }
    }
    Ok(())
}
