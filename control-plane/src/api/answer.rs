//! What became of a script, in protobuf.

use std::{ops::Range, sync::Arc};

use nervix_proto::v1::{
    self, Diagnostic, EmitterStatus, Label, Property, Row, Span, StatementResult, diagnostic::Severity,
    statement_result,
};
use nspl::{Colour, Listing};
use prost::Message;

use crate::{
    change::{Changes, Finding, Script, Status, StepResult, Table},
    rollout::{Described, Line},
};

/// What was found about a script, with what is quoted of it; that takes a turn as judging it does.
pub(super) async fn diagnostics(
    changes: &Changes,
    script: Arc<Script>,
    findings: Vec<Finding>,
) -> Vec<Diagnostic> {
    if findings.is_empty() {
        return Vec::new();
    }
    let script_bytes = script.text.len();
    let quoting = move |is_wanted: &dyn Fn() -> bool| {
        let source = Source::of(&script);
        let quote = |finding| is_wanted().then(|| source.diagnostic(finding));
        findings.iter().map(quote).collect()
    };
    changes.turns.take_again(script_bytes, quoting).await
}

/// The text that diagnostics are about.
struct Source<'a> {
    file: &'a str,
    listing: Listing<'a>,
}

impl<'a> Source<'a> {
    fn of(script: &'a Script) -> Self {
        Self {
            file: &script.file,
            listing: Listing::new(&script.file, &script.text),
        }
    }

    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let Finding(found) = finding;
        let severity = match found.severity {
            nspl::Severity::Error => Severity::Error,
            nspl::Severity::Warning => Severity::Warning,
        };
        let labels = found.labels.iter().map(|label| Label {
            span: Some(self.span(&label.span)),
            message: label.message.clone(),
        });
        Diagnostic {
            severity: severity.into(),
            code: found.code.into(),
            message: found.message.clone(),
            span: Some(self.span(&found.span)),
            labels: labels.collect(),
            help: found.help.clone().unwrap_or_default(),
            rendered: self.listing.render(found, Colour::Never),
        }
    }

    fn span(&self, span: &Range<usize>) -> Span {
        let (line, column) = self.place(span.start);
        let (end_line, end_column) = self.place(span.end);
        Span {
            file: self.file.into(),
            line,
            column,
            end_line,
            end_column,
        }
    }

    /// Line and column from 1, the column in characters.
    fn place(&self, at: usize) -> (u32, u32) {
        let (line, column) = self.listing.place(at);
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (narrow(line), narrow(column))
    }
}

pub(super) fn result(result: StepResult) -> StatementResult {
    let status = match result.status {
        Status::Ok => statement_result::Status::Ok,
        Status::AlreadyExisted => statement_result::Status::AlreadyExisted,
        Status::Refused => statement_result::Status::Refused,
        Status::NotRun => statement_result::Status::NotRun,
    };
    StatementResult {
        status: status.into(),
        statement: result.statement,
        message: result.message,
        change_class: result.class.map(|class| class.to_string()).unwrap_or_default(),
        table: result.table.map(table),
    }
}

fn table(table: Table) -> v1::Table {
    let rows = table.rows.into_iter().map(|cells| Row { cells }).collect();
    v1::Table {
        columns: table.columns,
        rows,
    }
}

/// The numbers of an emitter, as its worker told them; none where no worker tells any.
pub(super) fn emitter_status(described: &Described) -> Result<Option<EmitterStatus>, tonic::Status> {
    if described.emitter_status.is_empty() {
        return Ok(None);
    }
    let status = EmitterStatus::decode(described.emitter_status.as_slice());
    let unreadable = |error| tonic::Status::internal(format!("a worker's counters cannot be read: {error}"));
    status.map(Some).map_err(unreadable)
}

pub(super) fn property(line: Line) -> Property {
    Property {
        key: line.key,
        value: line.value,
    }
}

#[cfg(test)]
mod tests {
    use super::Source;
    use crate::change::Script;

    #[test]
    fn places_count_from_one_in_characters() {
        let script = Script {
            file: "f".into(),
            text: "ä b\nc".into(),
            domain: None,
        };
        let source = Source::of(&script);
        assert_eq!(source.place(0), (1, 1));
        assert_eq!(source.place(3), (1, 3));
        assert_eq!(source.place(5), (2, 1));
        assert_eq!(source.place(99), (2, 2));
    }
}
