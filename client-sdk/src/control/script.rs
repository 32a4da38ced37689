//! What became of a script, statement by statement.

use nervix_proto::v1;

use super::diagnostic::{Diagnostic, Severity};

/// What became of one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementStatus {
    /// It took effect.
    Ok,
    /// IF NOT EXISTS, and the entity is there.
    AlreadyExisted,
    /// It was refused when it ran, or its transaction was; nothing changed.
    Refused,
    /// A statement before it was refused, or it could not be asked for.
    NotRun,
    /// No answer came: whether it took effect is not known. No server says this; whoever sends a script in parts does.
    Unknown,
}

/// How much of the running graph a change had to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeClass {
    /// Nothing.
    None,
    /// Nothing: it took effect beside running traffic.
    Dynamic,
    /// The relays of one entity.
    EntityPause,
    /// The whole domain.
    DomainPause,
}

impl ChangeClass {
    /// The word of the answer, such as `ENTITY_PAUSE`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ChangeClass::None => "NONE",
            ChangeClass::Dynamic => "DYNAMIC",
            ChangeClass::EntityPause => "ENTITY_PAUSE",
            ChangeClass::DomainPause => "DOMAIN_PAUSE",
        }
    }
}

/// The rows of a reading statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Column names.
    pub columns: Vec<String>,
    /// Rows; each has one cell a column.
    pub rows: Vec<Vec<String>>,
}

/// The answer to one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementReply {
    /// What became of it.
    pub status: StatementStatus,
    /// Its first words, such as `CREATE EMITTER e`.
    pub statement: String,
    /// One line for a person; for reading statements the whole text.
    pub message: String,
    /// The class of the change; `None` for reading statements.
    pub change_class: Option<ChangeClass>,
    /// Rows of a reading statement.
    pub table: Option<Table>,
}

/// The answer to a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptReply {
    /// One for each statement that ran (or would run), in order.
    pub statements: Vec<StatementReply>,
    /// Faults and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The domain in effect after the script; empty for none, and after a validation.
    pub domain: String,
}

impl ScriptReply {
    /// Whether there is no error and every statement ran.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        let errors = self
            .diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error);
        let refused = |reply: &StatementReply| {
            !matches!(
                reply.status,
                StatementStatus::Ok | StatementStatus::AlreadyExisted
            )
        };
        !errors && !self.statements.iter().any(refused)
    }
}

impl From<v1::ExecuteResponse> for ScriptReply {
    fn from(reply: v1::ExecuteResponse) -> Self {
        ScriptReply {
            statements: reply.results.into_iter().map(StatementReply::from).collect(),
            diagnostics: reply.diagnostics.into_iter().map(Diagnostic::from).collect(),
            domain: reply.domain,
        }
    }
}

impl From<v1::ValidateResponse> for ScriptReply {
    fn from(reply: v1::ValidateResponse) -> Self {
        ScriptReply {
            statements: reply.results.into_iter().map(StatementReply::from).collect(),
            diagnostics: reply.diagnostics.into_iter().map(Diagnostic::from).collect(),
            domain: String::new(),
        }
    }
}

impl From<v1::StatementResult> for StatementReply {
    fn from(result: v1::StatementResult) -> Self {
        let status = match result.status() {
            v1::statement_result::Status::Ok => StatementStatus::Ok,
            v1::statement_result::Status::AlreadyExisted => StatementStatus::AlreadyExisted,
            v1::statement_result::Status::NotRun => StatementStatus::NotRun,
            // A word of a later version is read as the answer that claims least.
            v1::statement_result::Status::Refused | v1::statement_result::Status::Unspecified => {
                StatementStatus::Refused
            }
        };
        let change_class = match result.change_class.as_str() {
            "NONE" => Some(ChangeClass::None),
            "DYNAMIC" => Some(ChangeClass::Dynamic),
            "ENTITY_PAUSE" => Some(ChangeClass::EntityPause),
            "DOMAIN_PAUSE" => Some(ChangeClass::DomainPause),
            _ => None,
        };
        let table = result.table.map(|table| Table {
            columns: table.columns,
            rows: table.rows.into_iter().map(|row| row.cells).collect(),
        });
        StatementReply {
            status,
            statement: result.statement,
            message: result.message,
            change_class,
            table,
        }
    }
}
