//! Operations of ALTER CLIENT: each replaces the whole clause.

use crate::client::{self, Config, Mount};
use crate::grammar::{Rule, keyword};
use crate::printer::{Print, Printer};
use chumsky::prelude::{Parser, choice};

/// One operation of ALTER CLIENT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlterClient {
    /// `SET CONFIG {...}`
    SetConfig(Config),
    /// `SET MOUNT r VERSION n|LATEST`
    SetMount(Mount),
}

pub(super) fn rule<'t>() -> Rule<'t, AlterClient> {
    let config = client::config().map(AlterClient::SetConfig).boxed();
    let mount = client::mount().map(AlterClient::SetMount).boxed();
    keyword("SET").ignore_then(choice((config, mount))).boxed()
}

impl Print for AlterClient {
    fn print(&self, printer: &mut Printer) {
        printer.put("SET ");
        match self {
            Self::SetConfig(config) => config.print_at(printer, 2, None),
            Self::SetMount(mount) => _ = printer.node(mount),
        }
    }
}
