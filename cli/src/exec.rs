//! `nervix exec`: runs NSPL given as text.

use std::path::PathBuf;

use clap::Args;

use crate::{
    connection::Connection,
    exit::{Exit, Failure},
    script::{self, Script},
};

/// Run NSPL statements given as text
///
/// Runs the statements of TEXT, or of standard input for `-`, and prints what they answer: tables for SHOW and
/// DESCRIBE, one line for each other statement. A fault anywhere in the text refuses all of it before the first
/// statement runs. The folder of UPLOAD RESOURCE is relative to the working directory.
///
/// Exit codes: 0 all statements ran, 1 refused, 2 could not run.
///
/// Examples:
///   nervix exec "SHOW DOMAINS"
///   nervix exec --domain travel "DESCRIBE EMITTER delayed"
///   nervix exec - < change.nspl
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Exec {
    /// The statements, or `-` for standard input
    text: String,
    /// Domain of the statements before the first USE
    #[arg(long, env = "NERVIX_DOMAIN")]
    domain: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Exec {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let script = match self.text.as_str() {
            "-" => Script::read("-")?,
            text => Script {
                name: "exec".to_owned(),
                text: text.to_owned(),
                folder: PathBuf::new(),
            },
        };
        let client = self.connection.client().await?;
        let reply = script::run(&client, &script, self.domain.as_deref()).await?;
        script::show(&reply)
    }
}
