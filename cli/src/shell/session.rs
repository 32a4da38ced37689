//! One sitting: lines are read, statements sent, answers shown.
//!
//! Invariant: what was typed and not answered is not lost: it is put back on the line. The connection comes back by
//! itself with the next call; a statement is never sent twice without the person.

use std::path::PathBuf;

use nervix_client::{Client, Error};
use nspl::{Colour, Listing};
use rustyline::{CompletionType, Config, Editor, error::ReadlineError, history::MemHistory};
use tokio::{runtime::Handle, task::block_in_place};

use super::{
    help::{self, Command},
    history::{ENTRIES_MAX, History},
    input::{self, Input},
    line::Line,
    transaction::{Step, Transaction},
};
use crate::{
    exit::{Exit, Failure},
    output,
    script::{self, Script},
};

/// The name of what is typed, in diagnostics.
const NAME: &str = "shell";

type Lines = Editor<Line, MemHistory>;

/// The state between two lines.
pub(super) struct Session {
    client: Client,
    domain: Option<String>,
    transaction: Transaction,
    history: Option<History>,
    /// The lines of the statement that goes on.
    pending: String,
    /// What the next line begins with.
    kept: String,
    /// Ctrl-D was pressed over an open transaction.
    warned: bool,
}

/// What became of statements that were sent.
enum Sent {
    /// They were answered well.
    Ran,
    /// They were refused.
    Refused,
    /// Nobody waits for them any more, or they were not sent.
    Ended,
    /// Nobody answered.
    Lost,
}

impl Session {
    pub(super) fn new(client: Client, domain: Option<String>) -> Session {
        Session {
            client,
            domain,
            transaction: Transaction::default(),
            history: History::of_user(),
            pending: String::new(),
            kept: String::new(),
            warned: false,
        }
    }

    pub(super) async fn run(mut self) -> Result<Exit, Failure> {
        let mut lines = self.lines().map_err(terminal)?;
        output::print("Statements end with ; -- \\? for help, Ctrl-D to leave.\n")?;
        loop {
            let prompt = self.prompt();
            if let Some(line) = lines.helper_mut() {
                line.before = self.transaction.text() + &self.pending;
                line.domain.clone_from(&self.domain);
            }
            let kept = std::mem::take(&mut self.kept);
            match block_in_place(|| lines.readline_with_initial(&prompt, (&kept, ""))) {
                Ok(line) => match self.line(&line, &mut lines).await? {
                    true => {}
                    false => return Ok(Exit::Done),
                },
                Err(ReadlineError::Interrupted) => self.pending.clear(),
                Err(ReadlineError::Eof) if self.transaction.is_open() && !self.warned => {
                    self.warned = true;
                    output::note(
                        "a transaction is open: COMMIT it, or press Ctrl-D again to leave without it",
                    );
                }
                Err(ReadlineError::Eof) => return Ok(Exit::Done),
                Err(other) => return Err(terminal(other)),
            }
        }
    }

    /// Reads one line; whether there is to be another.
    async fn line(&mut self, line: &str, lines: &mut Lines) -> Result<bool, Failure> {
        self.warned = false;
        if self.pending.is_empty() {
            match help::command(line) {
                Some(Command::Help) => output::print(help::TEXT)?,
                Some(Command::Unknown) => output::note("there is no such command; \\? lists them"),
                Some(Command::Quit) => return Ok(false),
                None => {}
            }
            if help::command(line).is_some() {
                return Ok(true);
            }
        }
        self.pending.push_str(line);
        match input::read(&self.pending) {
            Input::Empty => self.pending.clear(),
            Input::Open => self.pending.push('\n'),
            Input::Whole => {
                let text = std::mem::take(&mut self.pending);
                self.remember(text.trim(), lines);
                self.statements(&text).await?;
            }
        }
        Ok(true)
    }

    /// Takes the statements of a whole input, up to the first that is refused.
    async fn statements(&mut self, text: &str) -> Result<(), Failure> {
        let statements = input::statements(text);
        for (index, statement) in statements.iter().enumerate() {
            match self.statement(statement).await? {
                Sent::Ran => {}
                Sent::Refused | Sent::Ended => {
                    let rest = statements.len() - index - 1;
                    if rest > 0 {
                        output::note(&format!("not run: {rest} behind it"));
                    }
                    break;
                }
                Sent::Lost => {
                    self.kept = statements.get(index..).unwrap_or_default().join(" ");
                    break;
                }
            }
        }
        Ok(())
    }

    async fn statement(&mut self, statement: &str) -> Result<Sent, Failure> {
        let commits = self.transaction.is_open() && input::first_word(statement) == "COMMIT";
        if self.transaction.is_open() && !is_readable(statement) {
            output::note("it was not taken into the transaction");
            return Ok(Sent::Ended);
        }
        let script = match self.transaction.take(statement) {
            Step::Run(script) => script,
            Step::Gathered => return Ok(Sent::Ran),
            Step::Reverted(count) => {
                output::note(&format!("reverted: {count} statements were forgotten"));
                return Ok(Sent::Ran);
            }
            Step::Refused(reason) => {
                output::note(&format!("error: {reason}"));
                return Ok(Sent::Ended);
            }
        };
        let sent = self.send(script).await?;
        if commits && !matches!(sent, Sent::Lost) {
            let count = self.transaction.close();
            if matches!(sent, Sent::Refused) {
                output::note(&rolled_back(count));
            }
        }
        Ok(sent)
    }

    /// Runs a script; Ctrl-C stops waiting for it.
    async fn send(&mut self, text: String) -> Result<Sent, Failure> {
        let script = Script {
            name: NAME.to_owned(),
            text,
            folder: PathBuf::new(),
        };
        let running = script::run(&self.client, &script, self.domain.as_deref());
        let answered = tokio::select! {
            answered = Box::pin(running) => answered,
            _interrupt = tokio::signal::ctrl_c() => {
                output::note("no longer waited for; what the server has begun it carries through");
                return Ok(Sent::Ended);
            }
        };
        match answered {
            Ok(reply) => {
                if !reply.statements.is_empty() {
                    self.domain = Some(reply.domain.clone()).filter(|domain| !domain.is_empty());
                }
                Ok(match script::show(&reply)? {
                    Exit::Done => Sent::Ran,
                    Exit::CouldNotRun => Sent::Lost,
                    _ => Sent::Refused,
                })
            }
            Err(Failure::Client(error)) => {
                output::note(&lost(&error));
                Ok(Sent::Lost)
            }
            Err(other) => {
                output::note(&format!("error: {other}"));
                Ok(Sent::Ended)
            }
        }
    }

    fn prompt(&self) -> String {
        let domain = self.domain.as_deref().unwrap_or_default();
        let open = if self.transaction.is_open() { "*" } else { "" };
        let arrow = if self.pending.is_empty() { "=>" } else { "->" };
        format!("{domain}{open}{arrow} ")
    }

    fn lines(&mut self) -> rustyline::Result<Lines> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .max_history_size(ENTRIES_MAX)?
            .build();
        let history = MemHistory::with_config(&config);
        let mut lines = Editor::with_history(config, history)?;
        lines.set_helper(Some(Line::new(self.client.clone(), Handle::current())));
        match self.history.as_ref().map(History::load) {
            Some(Ok(entries)) => {
                for entry in entries {
                    lines.add_history_entry(entry)?;
                }
            }
            Some(Err(error)) => self.forget(&error),
            None => {}
        }
        Ok(lines)
    }

    /// Keeps an input for the arrow keys, and for the next session what may be kept.
    fn remember(&mut self, entry: &str, lines: &mut Lines) {
        if let Err(error) = lines.add_history_entry(entry) {
            output::note(&format!("the history does not take this: {error}"));
        }
        if let Some(Err(error)) = self.history.as_ref().map(|history| history.add(entry)) {
            self.forget(&error);
        }
    }

    /// Goes on without a file.
    fn forget(&mut self, error: &std::io::Error) {
        if let Some(history) = self.history.take() {
            output::note(&format!(
                "no history is kept: {}: {error}",
                history.path().display()
            ));
        }
    }
}

/// What a refused COMMIT comes to.
fn rolled_back(count: usize) -> String {
    let statements = match count {
        1 => "its statement".to_owned(),
        count => format!("its {count} statements"),
    };
    format!(
        "rolled back: the transaction is over, {statements} changed nothing; the arrow keys bring them back"
    )
}

/// Whether a statement can be read; what is wrong with it is shown. What it refers to may come behind it.
fn is_readable(statement: &str) -> bool {
    let Err(faults) = nspl::format(statement) else {
        return true;
    };
    let listing = Listing::new(NAME, statement);
    for fault in faults {
        output::note(listing.render(&fault, Colour::Never).trim_end());
    }
    false
}

fn terminal(error: ReadlineError) -> Failure {
    let error = match error {
        ReadlineError::Io(error) => error,
        other => std::io::Error::other(other.to_string()),
    };
    Failure::Io {
        what: "the terminal".to_owned(),
        error,
    }
}

fn lost(error: &Error) -> String {
    match error {
        Error::Unanswered { .. } | Error::Unreachable { .. } => {
            format!(
                "the server does not answer: {error}. The text is kept: Enter sends it again, over a new connection"
            )
        }
        _ => format!("error: {error}; the text is kept"),
    }
}
