//! Scripts: where they come from, and how their answers are shown.

mod execution;

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use nervix_client::{ChangeClass, Diagnostic, ScriptReply, Severity, StatementReply, StatementStatus};

pub(crate) use execution::{foresee, run};

use crate::{
    exit::{Exit, Failure},
    output,
};

/// The largest file that is read, in bytes; the language's own bound is lower and is the one that is told.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A script and the name that diagnostics use for it.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) name: String,
    pub(crate) text: String,
    /// What its paths are relative to; empty for the working directory.
    pub(crate) folder: PathBuf,
}

impl Script {
    /// Reads a file, or standard input for `-`.
    pub(crate) fn read(path: &str) -> Result<Self, Failure> {
        if path == "-" {
            let text = read_bounded(std::io::stdin().lock()).map_err(Failure::io("standard input"))?;
            return Ok(Script {
                name: "-".to_owned(),
                text,
                folder: PathBuf::new(),
            });
        }
        let file = std::fs::File::open(path).map_err(Failure::io(path))?;
        Ok(Script {
            name: path.to_owned(),
            text: read_bounded(file).map_err(Failure::io(path))?,
            folder: Path::new(path).parent().unwrap_or(Path::new("")).to_owned(),
        })
    }
}

fn read_bounded(source: impl Read) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let read = source.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read > FILE_BYTES_MAX) {
        return Err(std::io::Error::other(format!(
            "a script has at most {} bytes; part it into several",
            nspl::SCRIPT_BYTES_MAX
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        std::io::Error::other(format!(
            "line {line} is not UTF-8; save the script in that encoding"
        ))
    })
}

/// Shows what became of a script: results on standard output, diagnostics on standard error.
pub(crate) fn show(reply: &ScriptReply) -> Result<Exit, Failure> {
    reply.diagnostics.iter().for_each(diagnostic);
    for statement in &reply.statements {
        output::print(&result(statement))?;
    }
    Ok(if reply.succeeded() {
        Exit::Done
    } else if is_cut_short(reply) {
        Exit::CouldNotRun
    } else {
        Exit::Refused
    })
}

/// Whether nobody refused anything: it could not be carried on.
fn is_cut_short(reply: &ScriptReply) -> bool {
    let has = |status| reply.statements.iter().any(|done| done.status == status);
    let errors = reply
        .diagnostics
        .iter()
        .any(|found| found.severity == Severity::Error);
    has(StatementStatus::Unknown) || (!errors && !has(StatementStatus::Refused))
}

fn diagnostic(diagnostic: &Diagnostic) {
    if !diagnostic.rendered.is_empty() {
        output::note(diagnostic.rendered.trim_end());
        return;
    }
    let word = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let span = &diagnostic.span;
    let place = format!("{}:{}:{}", span.file, span.line, span.column);
    output::note(&format!(
        "{place}: {word} {}: {}",
        diagnostic.code, diagnostic.message
    ));
    if !diagnostic.help.is_empty() {
        output::note(&format!("  help: {}", diagnostic.help));
    }
}

fn result(reply: &StatementReply) -> String {
    // A statement that reads answers with rows; its message is the same for a person.
    if reply.table.is_some() {
        return format!("{}\n", reply.message.trim_end());
    }
    let status = match reply.status {
        StatementStatus::Ok => "ok",
        StatementStatus::AlreadyExisted => "already_existed",
        StatementStatus::Refused => "refused",
        StatementStatus::NotRun => "not run",
        StatementStatus::Unknown => "not known",
    };
    let class = match reply.change_class {
        Some(class) if class != ChangeClass::None || reply.statement.starts_with("ALTER") => {
            format!(" ({})", class.word())
        }
        _ => String::new(),
    };
    match reply.message.trim_end() {
        message if message.is_empty() || message == status => {
            format!("{status}: {}{class}\n", reply.statement)
        }
        message => format!("{status}: {}: {message}{class}\n", reply.statement),
    }
}

#[cfg(test)]
mod tests;
