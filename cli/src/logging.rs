//! Log lines: pretty on a terminal, one JSON object a line otherwise, always on standard error.

use tracing_subscriber::EnvFilter;

use crate::output;

/// The variable that sets what is logged, such as `info` or `warn,nervix_data_plane=debug`.
pub(crate) const VARIABLE: &str = "NERVIX_LOG";

/// Starts logging; `default` holds where [`VARIABLE`] is not set or does not read.
pub(crate) fn start(default: &str) {
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new(default));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = if output::notes_are_on_a_terminal() {
        lines.with_target(false).try_init()
    } else {
        lines.json().flatten_event(true).try_init()
    };
    if let Err(error) = started {
        output::note(&format!("logging could not be started: {error}"));
    }
}
