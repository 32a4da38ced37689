//! What stands between BEGIN and COMMIT: gathered here, since a transaction is one script. Pure.

use super::input::first_word;

/// What to do with a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Run this script.
    Run(String),
    /// BEGIN, or one more statement of an open transaction.
    Gathered,
    /// REVERT of so many statements.
    Reverted(usize),
    /// It cannot stand here; the text says why.
    Refused(&'static str),
}

/// The open transaction, or none.
#[derive(Clone, Debug, Default)]
pub(super) struct Transaction {
    statements: Option<Vec<String>>,
}

impl Transaction {
    pub(super) fn is_open(&self) -> bool {
        self.statements.is_some()
    }

    /// Takes a statement, its `;` included. A COMMIT leaves the transaction open: see [`Transaction::close`].
    pub(super) fn take(&mut self, statement: &str) -> Step {
        let word = first_word(statement);
        match (&mut self.statements, word.as_str()) {
            (None, "BEGIN") => {
                self.statements = Some(Vec::new());
                Step::Gathered
            }
            (Some(_), "BEGIN") => Step::Refused("a transaction is open: COMMIT or REVERT it first"),
            (Some(_), "COMMIT") => Step::Run(format!("{}{statement}", self.text())),
            (Some(statements), "REVERT") => {
                let count = statements.len();
                self.statements = None;
                Step::Reverted(count)
            }
            (Some(statements), _) => {
                statements.push(statement.to_owned());
                Step::Gathered
            }
            (None, _) => Step::Run(statement.to_owned()),
        }
    }

    /// Ends it, since its COMMIT has been answered, and says how many statements it had.
    pub(super) fn close(&mut self) -> usize {
        self.statements.take().map_or(0, |statements| statements.len())
    }

    /// BEGIN and what was gathered behind it, each on lines of its own; empty where none is open.
    pub(super) fn text(&self) -> String {
        let Some(statements) = &self.statements else {
            return String::new();
        };
        let mut text = "BEGIN;\n".to_owned();
        for statement in statements {
            text.push_str(statement);
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, Transaction};

    #[test]
    fn statements_are_gathered_from_begin_to_commit() {
        let mut transaction = Transaction::default();
        assert_eq!(transaction.take("STOP;"), Step::Run("STOP;".to_owned()));
        assert_eq!(transaction.take("begin;"), Step::Gathered);
        assert!(transaction.is_open());
        assert_eq!(transaction.take("CREATE RESOURCE r;"), Step::Gathered);
        assert!(matches!(transaction.take("BEGIN;"), Step::Refused(_)));
        let script = "BEGIN;\nCREATE RESOURCE r;\nCOMMIT;".to_owned();
        assert_eq!(transaction.take("COMMIT;"), Step::Run(script.clone()));
        assert_eq!(
            transaction.take("COMMIT;"),
            Step::Run(script),
            "until it was answered"
        );
        assert_eq!(transaction.close(), 1);
        assert_eq!(transaction.take("COMMIT;"), Step::Run("COMMIT;".to_owned()));
    }

    #[test]
    fn revert_forgets_what_was_gathered() {
        let mut transaction = Transaction::default();
        transaction.take("BEGIN;");
        transaction.take("CREATE RESOURCE r;");
        assert_eq!(transaction.take("REVERT;"), Step::Reverted(1));
        assert!(!transaction.is_open());
        assert_eq!(transaction.text(), "");
    }
}
