//! START and STOP: catalog state that survives restarts (rulings section 9).

use nspl::StartAt;

use super::{Changes, script::StepError};
use crate::{
    catalog::{Changing, Edit, RunState, run_key},
    events::Event,
};

impl Changes {
    /// START of a running domain succeeds and changes nothing.
    pub(super) async fn start(
        &self,
        changing: &Changing<'_>,
        domain: &str,
        at: StartAt,
        rate: Option<f64>,
    ) -> Result<String, StepError> {
        let before = changing.state().run(domain);
        if before.running {
            return Ok(format!("domain {domain} is running already"));
        }
        let now = self.clock.utc().0;
        let start_domain_time_ns = match at {
            StartAt::Now => now,
            StartAt::Instant(instant) => instant,
        };
        let run = RunState {
            running: true,
            generation: before.generation.saturating_add(1),
            started_at_ns: now,
            start_domain_time_ns,
            time_rate: rate.unwrap_or(1.0),
        };
        self.set_run(changing, domain, run).await?;
        Ok(format!("domain {domain} started"))
    }

    /// STOP of a stopped domain succeeds and changes nothing.
    pub(super) async fn stop(&self, changing: &Changing<'_>, domain: &str) -> Result<String, StepError> {
        let before = changing.state().run(domain);
        if !before.running {
            return Ok(format!("domain {domain} is stopped already"));
        }
        let run = RunState {
            running: false,
            generation: before.generation.saturating_add(1),
            ..before
        };
        self.set_run(changing, domain, run).await?;
        Ok(format!("domain {domain} stopped"))
    }

    async fn set_run(&self, changing: &Changing<'_>, domain: &str, run: RunState) -> Result<(), StepError> {
        let base = changing.state();
        let mut edit = Edit::default();
        edit.put(run_key(domain), run.write());
        let state = self.store(changing, &base, edit).await?;
        self.events.tell(Event {
            at_ns: self.clock.utc().0,
            domain: domain.into(),
            kind: if run.running { "started" } else { "stopped" }.into(),
            message: format!("revision {}", state.revision()),
            ..Event::default()
        });
        self.rolled_out(&state).await;
        Ok(())
    }
}
