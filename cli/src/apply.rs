//! `nervix apply`: runs the script of a file, or says what it would do.

use clap::Args;
use nervix_client::ScriptReply;

use crate::{
    connection::Connection,
    exit::{Exit, Failure},
    output,
    script::{self, Script},
};

/// Run the NSPL script of a file
///
/// Sends FILE to the server, which checks all of it against the catalog before the first statement runs, and prints
/// one line for each statement. IF NOT EXISTS over an existing entity changes nothing and says `already_existed`;
/// when the existing definition differs from the file's, the exit code says so, too. The folder of UPLOAD RESOURCE is
/// relative to the folder of FILE.
///
/// With --dry-run the server only checks, and the same lines say what would happen.
///
/// Exit codes: 0 applied, 1 refused (faults in the script, or a statement failed), 2 could not run,
/// 3 applied, but an existing definition differs from what IF NOT EXISTS says.
///
/// Examples:
///   nervix apply --dry-run pipeline.nspl
///   nervix apply --domain shop orders.nspl
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Apply {
    /// The script, or `-` for standard input
    file: String,
    /// Check against the catalog and say what would happen; change nothing
    #[arg(long)]
    dry_run: bool,
    /// Domain of the statements before the first USE
    #[arg(long, env = "NERVIX_DOMAIN")]
    domain: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Apply {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let script = Script::read(&self.file)?;
        let client = self.connection.client().await?;
        let domain = self.domain.as_deref();
        let reply = if self.dry_run {
            script::foresee(&client, &script, domain).await?
        } else {
            script::run(&client, &script, domain).await?
        };
        let exit = script::show(&reply)?;
        if self.dry_run && exit == Exit::Done {
            output::note("nothing was changed: this was a dry run");
        }
        Ok(match exit {
            Exit::Done if differs(&reply) => Exit::Differs,
            other => other,
        })
    }
}

/// Whether a warning says that an existing definition is not the script's.
fn differs(reply: &ScriptReply) -> bool {
    reply
        .diagnostics
        .iter()
        .any(|diagnostic| diagnostic.code == nspl::ALREADY_DIFFERS)
}
