//! `nervix shell`: statements typed by a person, one after the other.
//!
//! `input` says where a statement ends, `transaction` gathers what is sent as one script, `session` sends it, `line` is
//! how a line looks and what completes it, `history` what is remembered. It deliberately knows no statement but BEGIN,
//! COMMIT and REVERT, which it must not send one by one: what statements mean is the server's.

mod help;
mod highlight;
mod history;
mod input;
mod line;
mod session;
mod transaction;

use std::io::IsTerminal;

use clap::Args;

use crate::{
    connection::Connection,
    exit::{Exit, Failure},
    output,
    script::{self, Script},
};

use session::Session;

/// Type NSPL statements, with history and completion
///
/// A statement ends with `;` and may go over several lines. TAB completes keywords, names, fields, functions and the
/// keys of CONFIG, asking the server what is there; the arrow keys go through the history. The prompt shows the domain
/// that USE has set, and a `*` while a transaction is open:
///
///   travel=>     travel*=>     travel->  (the statement goes on)
///
/// Statements between BEGIN and COMMIT are gathered and sent as one script; REVERT forgets them. Ctrl-C clears what is
/// being typed, Ctrl-D leaves. `\?` lists what else there is. The folder of UPLOAD RESOURCE is relative to the working
/// directory.
///
/// The history is kept in $XDG_STATE_HOME/nervix/history (or ~/.local/state/nervix/history), readable by its owner
/// alone. Statements that hold a secret, such as the password of a CLIENT, are left out of the file.
///
/// When standard input is no terminal it is run as a script, as `nervix exec -` does.
///
/// Exit codes: 0 left by Ctrl-D or `\q`, 2 could not run; of a script: 0 all statements ran, 1 refused, 2 could not run.
///
/// Examples:
///   nervix shell --domain travel
///   nervix shell --server 10.0.0.7:7460
///   nervix shell < change.nspl
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Shell {
    /// Domain of the statements before the first USE
    #[arg(long, env = "NERVIX_DOMAIN")]
    domain: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Shell {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let client = self.connection.client().await?;
        if std::io::stdin().is_terminal() {
            let session = Session::new(client, self.domain);
            return Box::pin(session.run()).await;
        }
        output::note("standard input is no terminal: it is run as a script");
        let script = Script::read("-")?;
        let reply = script::run(&client, &script, self.domain.as_deref()).await?;
        script::show(&reply)
    }
}
