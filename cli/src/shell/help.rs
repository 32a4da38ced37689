//! What `\?` says.

/// The commands of the shell itself and its keys.
pub(super) const TEXT: &str = "\
A statement of NSPL ends with ; and may go over several lines.
  USE d;                      sets the domain
  SHOW EMITTERS;              likewise DOMAINS, SCHEMAS, CODECS, BRANCHES, RELAYS, RESOURCES, CLIENTS, INGESTORS
  SHOW CREATE EMITTER e;      its canonical text, secrets masked
  DESCRIBE EMITTER e;         its definition and live state
  BEGIN; ... COMMIT;          gathers statements and sends them as one script; REVERT; forgets them
  UPLOAD RESOURCE r VERSION 'folder';   relative to the working directory
Of the shell itself, on a line of their own:
  \\? or help                  this text
  \\q, exit or quit            leaves, as Ctrl-D does
Keys: TAB completes, Up and Down go through the history, Ctrl-R searches it, Ctrl-C clears what is being typed.
";

/// A command of the shell itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Quit,
    /// A backslash and something else.
    Unknown,
}

/// Reads a line on which a statement could begin; `None` when it is no command.
pub(super) fn command(line: &str) -> Option<Command> {
    let line = line.trim().trim_end_matches(';').trim_end();
    match line.to_ascii_lowercase().as_str() {
        "\\?" | "\\h" | "help" | "?" => Some(Command::Help),
        "\\q" | "exit" | "quit" => Some(Command::Quit),
        other if other.starts_with('\\') => Some(Command::Unknown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, command};

    #[test]
    fn commands_stand_alone_on_their_line() {
        assert_eq!(command(" \\? "), Some(Command::Help));
        assert_eq!(command("help;"), Some(Command::Help));
        assert_eq!(command("QUIT"), Some(Command::Quit));
        assert_eq!(command("\\d"), Some(Command::Unknown));
        assert_eq!(command("SHOW DOMAINS;"), None);
    }
}
