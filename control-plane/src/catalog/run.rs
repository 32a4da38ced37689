//! Whether a domain runs, and since when (rulings section 9: START and STOP are catalog state).

use super::record::Record;

/// The run state of one domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RunState {
    pub(crate) running: bool,
    /// Counts each START and STOP.
    pub(crate) generation: u64,
    /// The instant of the last START, in nanoseconds since 1970 UTC.
    pub(crate) started_at_ns: i64,
    /// What domain time was then.
    pub(crate) start_domain_time_ns: i64,
    /// How much faster than the wall clock domain time runs.
    pub(crate) time_rate: f64,
}

impl Default for RunState {
    /// A new domain is stopped.
    fn default() -> Self {
        Self {
            running: false,
            generation: 0,
            started_at_ns: 0,
            start_domain_time_ns: 0,
            time_rate: 1.0,
        }
    }
}

impl RunState {
    pub(crate) fn write(&self) -> String {
        Record::default()
            .with("running", self.running)
            .with("generation", self.generation)
            .with("started_at_ns", self.started_at_ns)
            .with("start_domain_time_ns", self.start_domain_time_ns)
            .with("time_rate", self.time_rate)
            .write()
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let record = Record::read(bytes)?;
        Some(Self {
            running: record.get("running")?,
            generation: record.get("generation")?,
            started_at_ns: record.get("started_at_ns")?,
            start_domain_time_ns: record.get("start_domain_time_ns")?,
            time_rate: record.get("time_rate")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::RunState;

    #[test]
    fn a_run_state_reads_back() {
        let state = RunState {
            running: true,
            generation: 3,
            started_at_ns: 1_700_000_000_000_000_001,
            start_domain_time_ns: -5,
            time_rate: 0.1,
        };
        assert_eq!(RunState::read(state.write().as_bytes()), Some(state));
        assert_eq!(RunState::read(b"running=maybe\n"), None);
    }
}
