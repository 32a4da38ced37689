//! Operations of ALTER CLIENT: each replaces the whole clause.

use crate::client::{Config, Mount};

/// One operation of ALTER CLIENT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlterClient {
    /// `SET CONFIG {...}`
    SetConfig(Config),
    /// `SET MOUNT r VERSION n|LATEST`
    SetMount(Mount),
}
