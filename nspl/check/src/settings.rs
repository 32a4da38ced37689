//! What a judgement depends on besides the text and the catalog.

use std::collections::BTreeSet;

use crate::Resources;

/// The word in [`Settings::kinds`] of a worker that holds materialized state.
pub const MATERIALIZED_STATE: &str = "MATERIALIZED STATE";

/// The surroundings of a script.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// The session's domain before the script begins: `--domain`.
    pub domain: Option<String>,
    /// The kinds of sink and source that some worker can run, in NSPL's words (rulings section 9 "What can run"), and
    /// [`MATERIALIZED_STATE`] where some worker holds it; `None` accepts every kind, as `check` does.
    pub kinds: Option<BTreeSet<String>>,
    /// The node that those kinds and [`Self::flight_message_max`] are of; `None` where no node executes the graph.
    pub node: Option<String>,
    /// No other worker can attach beside that node, as in `nervix dev`.
    pub node_is_only: bool,
    /// `--flight-max-message` in bytes (flight.md "Ends and limits"); `None` where it is not known.
    pub flight_message_max: Option<u64>,
    /// Where the files of resources are; `None`: nothing that depends on them is judged.
    pub resources: Option<Resources>,
    /// Workers are on other machines than whoever writes scripts: a file that a CLIENT names is one of its mount
    /// (rulings section 8).
    pub mounts_only: bool,
    /// Statements of a store are read back: they were judged when they were committed, and programs and files of another
    /// release are no reason to refuse them.
    pub restoring: bool,
}

impl Settings {
    /// Nothing but a session's domain.
    pub fn in_domain(domain: Option<&str>) -> Settings {
        Settings {
            domain: domain.map(str::to_owned),
            ..Settings::default()
        }
    }
}
