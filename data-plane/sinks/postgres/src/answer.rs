//! What an error of an insert means for its rows (rulings section 9, SQLSTATE).

use nervix_sink::{Rejection, RowAnswer};
use tokio_postgres::error::DbError;

use crate::bind::ValueFault;
use crate::fault::{During, Fault};
use crate::sqlstate::{Blame, class};

/// What became of an insert that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Its rows are at fault, or one of them is; nothing of it was written.
    Rows {
        /// SQLSTATE.
        code: String,
        /// What is said of them.
        rejection: Rejection,
    },
    /// Nobody knows, or it is the whole server's trouble.
    Server(Fault),
}

impl Refusal {
    /// What an error means that came instead of the answer to an insert of so many rows.
    pub(crate) fn of(error: &tokio_postgres::Error) -> Self {
        let server = || Self::Server(Fault::of(error, During::Inserting));
        let Some(answer) = error.as_db_error() else {
            return server();
        };
        match class(answer.code().code()).blame {
            // Of several rows too: whether it is one of them, each shows alone.
            Blame::Row | Blame::RowAlone => Self::Rows {
                code: answer.code().code().to_owned(),
                rejection: Rejection::new(reason(answer)),
            },
            Blame::Server => server(),
        }
    }

    /// A value that cannot be bound.
    pub(crate) fn of_value(fault: ValueFault) -> Self {
        let (code, cause) = (fault.code(), fault.cause());
        let class = class(code).name;
        let rejection = format!("Postgres cannot take the row: SQLSTATE {code} ({class}), {cause}");
        Self::Rows {
            code: code.to_owned(),
            rejection: Rejection::new(rejection),
        }
    }

    /// Whether rows are at fault.
    pub(crate) fn is_of_rows(&self) -> bool {
        matches!(self, Self::Rows { .. })
    }

    /// Whether the table may have other columns than when it was asked for them, and the rows fit those. A constraint that
    /// they violate, or a trigger that refuses them, says nothing about columns.
    pub(crate) fn is_about_columns(&self) -> bool {
        let code = match self {
            Self::Rows { code, .. } => code,
            Self::Server(Fault::Insert(answered)) => &answered.code,
            Self::Server(_) => return false,
        };
        matches!(code.get(..2), Some("0A" | "22" | "26" | "3F" | "42"))
    }

    /// The answer about the rows.
    pub(crate) fn answer(self) -> RowAnswer {
        match self {
            Self::Rows { rejection, .. } => RowAnswer::Isolate(rejection),
            Self::Server(fault) => RowAnswer::Unresolved(fault.failure()),
        }
    }
}

/// Code, class, and the names of what refused the row. The server's own sentence may quote values, and is left out.
fn reason(answer: &DbError) -> String {
    let code = answer.code().code();
    let class = class(code).name;
    let mut reason = format!("Postgres refused the row: SQLSTATE {code} ({class})");
    // A user's function may put anything into these.
    if !matches!(code.get(..2), Some("22" | "23")) {
        return reason;
    }
    let names = [
        ("constraint", answer.constraint()),
        ("column", answer.column()),
        ("type", answer.datatype()),
        ("table", answer.table()),
    ];
    for (what, name) in names {
        if let Some(name) = name {
            reason.push_str(&format!(", {what} \"{name}\""));
        }
    }
    reason
}

#[cfg(test)]
mod tests {
    use nervix_sink::{FailureKind, Rejection, RowAnswer};

    use super::Refusal;
    use crate::bind::ValueFault;
    use crate::fault::{Answered, Fault};

    fn server(code: &str) -> Refusal {
        Refusal::Server(Fault::Insert(Answered {
            code: code.to_owned(),
            words: None,
        }))
    }

    #[test]
    fn what_is_the_servers_trouble_is_kept_and_told_by_its_code() {
        let kinds = [
            ("42501", FailureKind::Unauthorized),
            ("28P01", FailureKind::Unauthorized),
            ("42703", FailureKind::Missing),
            ("42P01", FailureKind::Missing),
            ("3D000", FailureKind::Missing),
            ("53300", FailureKind::Throttled),
            ("57014", FailureKind::TimedOut),
            ("57P01", FailureKind::Unavailable),
            ("40001", FailureKind::Unavailable),
        ];
        for (code, kind) in kinds {
            let RowAnswer::Unresolved(failure) = server(code).answer() else {
                panic!("{code} is kept");
            };
            assert_eq!(failure.kind, kind, "{code}");
            assert!(failure.message.as_str().contains(code), "{}", failure.message);
        }
    }

    #[test]
    fn columns_are_asked_for_again_only_for_what_others_could_heal() {
        let rows = |code: &str| Refusal::Rows {
            code: code.to_owned(),
            rejection: Rejection::new("refused"),
        };
        for refusal in [
            server("42703"),
            server("26000"),
            rows("22003"),
            Refusal::of_value(ValueFault::NotWhole),
        ] {
            assert!(refusal.is_about_columns(), "{refusal:?}");
        }
        for refusal in [server("53300"), rows("23505"), rows("23514"), rows("P0001")] {
            assert!(!refusal.is_about_columns(), "{refusal:?}");
        }
    }

    #[test]
    fn a_value_that_cannot_be_bound_is_its_rows_fault() {
        let RowAnswer::Isolate(rejection) = Refusal::of_value(ValueFault::NotWhole).answer() else {
            panic!("it is refused");
        };
        assert_eq!(
            rejection.message.as_str(),
            "Postgres cannot take the row: SQLSTATE 22003 (data exception), a float that is no whole number within 64 \
             bits, for a column of integers"
        );
    }
}
