//! What can become of a row, why, and what a root says when all of its rows have settled.

use std::borrow::Cow;
use std::fmt;

/// The longest message a [`Reason`] keeps, in bytes; a longer one is cut at a character.
pub const REASON_MESSAGE_BYTES_MAX: usize = 512;

/// What became of a row on one path (companion.md section 6, flight.md "Writing").
///
/// The order is from best to worst; where paths differ, the worst one is the row's fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// Delivered, filtered out, or dealt with by its error policy.
    #[default]
    Done,
    /// Sending it again cannot help.
    Refused,
    /// It may or may not have had effects; send it again.
    Unresolved,
}

/// Why rows are not done: a code of the specification and a bounded message that quotes no value.
#[derive(Clone, PartialEq, Eq)]
pub struct Reason {
    code: &'static str,
    message: Cow<'static, str>,
}

impl Reason {
    /// A reason with `code` (for example `validation`) and `message`, cut to
    /// [`REASON_MESSAGE_BYTES_MAX`] bytes. The message must not quote a payload value, a key or a secret.
    pub fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        let mut message = message.into();
        if message.len() > REASON_MESSAGE_BYTES_MAX {
            let end = message.floor_char_boundary(REASON_MESSAGE_BYTES_MAX);
            message.to_mut().truncate(end);
        }
        Self { code, message }
    }

    /// The code, one of the specification's.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The message, for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Why a share that nobody settled counts as unresolved.
    pub(crate) fn dropped() -> Self {
        Self {
            code: "",
            message: Cow::Borrowed("a task that held the rows ended before it settled them"),
        }
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What a root says when its last share has settled. `done + refused + unresolved == rows`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Rows of the root.
    pub rows: u32,
    /// Rows whose every path is done.
    pub done: u32,
    /// Rows whose worst path was refused.
    pub refused: u32,
    /// Rows whose worst path is unresolved.
    pub unresolved: u32,
    /// The first reason that was given for the worst fate, if any was.
    pub reason: Option<Reason>,
}

impl Verdict {
    /// The fate of the batch: unresolved before refused before done (flight.md "Writing").
    pub fn worst(&self) -> Fate {
        if self.unresolved > 0 {
            Fate::Unresolved
        } else if self.refused > 0 {
            Fate::Refused
        } else {
            Fate::Done
        }
    }

    /// A verdict over `rows` rows that all share one fate.
    pub(crate) fn uniform(rows: u32, fate: Fate, reason: Option<Reason>) -> Self {
        let count = |of: Fate| if of == fate { rows } else { 0 };
        Self {
            rows,
            done: count(Fate::Done),
            refused: count(Fate::Refused),
            unresolved: count(Fate::Unresolved),
            reason,
        }
    }
}
