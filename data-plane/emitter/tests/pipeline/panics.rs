//! A task that panics: its shares resolve as unresolved, its status says stopped, its seat keeps what comes meanwhile.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_emitter::{Emitter, EmitterParts, EmitterState, NoEvents};
use nervix_sink::{Offer, OpenSink, RevokeReason, SessionAnswer, SessionSink, SessionStatus, SessionWatch};

use crate::stage::{ack, delivery, ids, stage};

/// A sink with a defect.
struct Exploding;

impl SessionSink for Exploding {
    fn offer(&mut self, _offer: Offer) {
        panic!("a defect");
    }

    fn next_answer(&mut self) -> BoxFuture<'_, SessionAnswer> {
        std::future::pending().boxed()
    }

    fn take_answer(&mut self) -> Option<SessionAnswer> {
        None
    }

    fn close(&mut self, _reason: RevokeReason) {}

    fn watch(&self) -> Arc<dyn SessionWatch> {
        Arc::new(Self)
    }
}

impl SessionWatch for Exploding {
    fn status(&self) -> SessionStatus {
        SessionStatus::default()
    }
}

#[tokio::test]
async fn a_panic_resolves_what_it_held_as_unresolved_and_the_next_run_goes_on() {
    let mut stage = stage(|_| {});
    stage.handle.stop(RevokeReason::Changed).await;
    let parts = EmitterParts {
        def: stage.def.clone(),
        consumers: vec![stage.sources[0].attach("notify", stage.def.attachment)],
        sink: OpenSink::Session(Box::new(Exploding)).into(),
        dependencies: Vec::new(),
        error_relay: None,
        clock: stage.clock.domain(),
        budget: stage.budget.clone(),
        counters: stage.counters.clone(),
        events: Arc::new(NoEvents),
    };
    let (handle, emitter) = Emitter::new(parts).unwrap();
    let task = tokio::spawn(emitter.run());
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert!(task.await.unwrap_err().is_panic());
    let verdict = written.verdict().expect("resolved");
    assert_eq!((verdict.rows, verdict.unresolved), (2, 2));
    assert_eq!(handle.status().state, EmitterState::Stopped);
    assert_eq!(stage.counters.snapshot().unresolved, 2);
    assert_eq!(stage.budget.used(), 0);
    let meanwhile = stage.write(&[3]).await;
    stage.restart();
    let consumer = stage.consumer(1);
    stage.clock.settle().await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(ids(&next), [3]);
    ack(&consumer, &next).await;
    stage.clock.settle().await;
    assert_eq!(meanwhile.verdict().map(|verdict| verdict.done), Some(1));
}
