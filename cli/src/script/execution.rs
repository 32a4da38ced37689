//! Carrying a script out: the server runs its statements, this side sends the folders of UPLOAD RESOURCE.
//!
//! A script is judged as a whole before anything of it runs, and runs in written order. It deliberately decides nothing
//! about statements: a script without uploads goes to the server as it is.

use std::ops::Range;

use nervix_client::{
    Client, Diagnostic, Error, ScriptReply, Severity, Span, StatementReply, StatementStatus,
};
use nspl::{Colour, Listing, Part};

use super::Script;
use crate::exit::Failure;

/// Runs `script`, beginning in `domain`.
///
/// # Errors
/// Before anything ran: the server cannot be reached, or the folder of an upload is not there. A script without uploads also
/// where no answer came to it; of one with uploads the reply says how far it came.
pub(crate) async fn run(
    client: &Client,
    script: &Script,
    domain: Option<&str>,
) -> Result<ScriptReply, Failure> {
    let parts = nspl::parts(&script.text);
    if !parts.iter().any(|part| matches!(part, Part::Upload { .. })) {
        return Ok(client
            .execute_in(&script.text, domain, Some(&script.name))
            .await?);
    }
    let judged = foresee(client, script, domain).await?;
    if !judged.succeeded() {
        return Ok(judged);
    }
    parts.iter().try_for_each(|part| find_folder(script, part))?;
    let mut reply = ScriptReply {
        domain: domain.unwrap_or_default().to_owned(),
        ..ScriptReply::default()
    };
    for part in &parts {
        match part {
            _ if !reply.succeeded() => reply.statements.push(not_run(part)),
            Part::Statements { span, .. } => {
                let text = alone(&script.text, span);
                let domain = Some(reply.domain.as_str()).filter(|domain| !domain.is_empty());
                match client.execute_in(&text, domain, Some(&script.name)).await {
                    Ok(done) => {
                        reply.statements.extend(done.statements);
                        reply.diagnostics.extend(done.diagnostics);
                        reply.domain = done.domain;
                    }
                    Err(error) => reply.statements.push(failed(part, &error)),
                }
            }
            Part::Upload { resource, folder } => {
                let sent = client
                    .upload(&reply.domain, resource, &script.folder.join(folder))
                    .await;
                reply.statements.push(match sent {
                    Ok(stored) => answer(
                        StatementStatus::Ok,
                        named(part),
                        format!("version {}, {} bytes", stored.version, stored.size_bytes),
                    ),
                    Err(error) => failed(part, &error),
                });
            }
        }
    }
    Ok(reply)
}

/// Says what [`run`] would come to, and does nothing.
///
/// # Errors
/// The server cannot be reached.
pub(crate) async fn foresee(
    client: &Client,
    script: &Script,
    domain: Option<&str>,
) -> Result<ScriptReply, Failure> {
    let faults = folder_faults(script, domain);
    if faults.is_empty() {
        return Ok(client.validate(&script.text, domain, Some(&script.name)).await?);
    }
    Ok(ScriptReply {
        diagnostics: faults,
        domain: domain.unwrap_or_default().to_owned(),
        ..ScriptReply::default()
    })
}

fn find_folder(script: &Script, part: &Part) -> Result<(), Failure> {
    let Part::Upload { resource, folder } = part else {
        return Ok(());
    };
    let place = script.folder.join(folder);
    if place.is_dir() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "UPLOAD RESOURCE {resource}: there is no folder {}; it is relative to the script's folder. Nothing ran",
        place.display()
    )))
}

/// What is wrong with the folders that the script uploads, for its own codecs: told before anything of it runs, because
/// an upload cannot be undone.
fn folder_faults(script: &Script, domain: Option<&str>) -> Vec<Diagnostic> {
    let listing = Listing::new(&script.name, &script.text);
    let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let beside = script.folder.join("script.nspl");
    let faults = nspl::folder_faults(&beside.to_string_lossy(), &script.text, domain);
    let shown = faults.iter().map(|fault| {
        let (line, column) = listing.place(fault.span.start);
        let (end_line, end_column) = listing.place(fault.span.end);
        Diagnostic {
            severity: Severity::Error,
            code: fault.code.to_owned(),
            message: fault.message.clone(),
            span: Span {
                file: script.name.clone(),
                line: number(line),
                column: number(column),
                end_line: number(end_line),
                end_column: number(end_column),
            },
            labels: Vec::new(),
            help: fault.help.clone().unwrap_or_default(),
            rendered: listing.render(fault, Colour::Never),
        }
    });
    shown.collect()
}

/// The text with everything else blanked, so that what is left keeps its lines and columns.
fn alone(text: &str, span: &Range<usize>) -> String {
    let blanked = |c: char| if matches!(c, '\n' | '\r') { c } else { ' ' };
    let before = text.get(..span.start).unwrap_or_default().chars().map(blanked);
    let kept = text.get(span.clone()).unwrap_or_default();
    before.chain(kept.chars()).collect()
}

fn named(part: &Part) -> String {
    match part {
        Part::Statements { count: 1, .. } => "1 statement".to_owned(),
        Part::Statements { count, .. } => format!("{count} statements"),
        Part::Upload { resource, .. } => format!("UPLOAD RESOURCE {resource}"),
    }
}

fn not_run(part: &Part) -> StatementReply {
    let message = "what stands before did not come to its end".to_owned();
    answer(StatementStatus::NotRun, named(part), message)
}

fn failed(part: &Part, error: &Error) -> StatementReply {
    let status = match error {
        Error::Unanswered { .. } => StatementStatus::Unknown,
        Error::Unreachable { .. } => StatementStatus::NotRun,
        _ => StatementStatus::Refused,
    };
    answer(status, named(part), error.to_string())
}

fn answer(status: StatementStatus, statement: String, message: String) -> StatementReply {
    StatementReply {
        status,
        statement,
        message,
        change_class: None,
        table: None,
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use nervix_client::{Client, StatementStatus};
    use nervix_control_plane::{ControlHandle, ControlOptions, ControlPlane};
    use nervix_store::EmbeddedStore;
    use tokio::net::TcpListener;

    use super::{Script, alone, run};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    async fn server() -> Result<(ControlHandle, Client), Box<dyn std::error::Error>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let store = Arc::new(EmbeddedStore::in_memory()?);
        let control = ControlPlane::start(ControlOptions::new(listener, store)).await?;
        let client = Client::connect(&control.control_addr().to_string()).await?;
        Ok((control, client))
    }

    fn script(folder: &Path, text: &str) -> Script {
        Script {
            name: "s.nspl".to_owned(),
            text: text.to_owned(),
            folder: folder.to_owned(),
        }
    }

    #[tokio::test]
    async fn uploads_run_in_their_place_from_the_folder_of_the_script() -> Outcome {
        let (_control, client) = server().await?;
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join("files"))?;
        std::fs::write(folder.path().join("files/a"), "abc")?;
        let text = "CREATE DOMAIN d; USE d; CREATE RESOURCE r; UPLOAD RESOURCE r VERSION './files'; \
                    UPLOAD RESOURCE r VERSION 'files'; CREATE RESOURCE q;";
        let reply = run(&client, &script(folder.path(), text), None).await?;
        assert!(reply.succeeded(), "{reply:?}");
        let uploads: Vec<_> = reply
            .statements
            .iter()
            .filter(|done| done.statement == "UPLOAD RESOURCE r")
            .map(|done| done.message.as_str())
            .collect();
        assert_eq!(uploads, ["version 1, 3 bytes", "version 2, 3 bytes"]);
        assert_eq!(reply.domain, "d");
        let last = reply.statements.last().ok_or("no statement")?;
        assert!(last.statement.ends_with('q'), "{last:?}");
        Ok(())
    }

    #[tokio::test]
    async fn nothing_runs_when_a_folder_is_missing_or_a_statement_has_a_fault() -> Outcome {
        let (control, client) = server().await?;
        let folder = tempfile::tempdir()?;
        let start = "CREATE DOMAIN d; USE d; CREATE RESOURCE r;";
        let missing = format!("{start} UPLOAD RESOURCE r VERSION 'nope';");
        let refused = run(&client, &script(folder.path(), &missing), None).await;
        assert!(refused.is_err_and(|error| error.to_string().contains("nope")));
        let faulty = format!("{start} UPLOAD RESOURCE other VERSION '.';");
        let reply = run(&client, &script(folder.path(), &faulty), None).await?;
        assert!(!reply.succeeded(), "{reply:?}");
        assert!(control.catalog().is_empty());
        Ok(())
    }

    #[tokio::test]
    async fn what_follows_a_refused_upload_does_not_run() -> Outcome {
        let (control, client) = server().await?;
        let folder = tempfile::tempdir()?;
        let text =
            "CREATE DOMAIN d; USE d; CREATE RESOURCE r; UPLOAD RESOURCE r VERSION '.'; CREATE DOMAIN e;";
        let reply = run(&client, &script(folder.path(), text), None).await?;
        let statuses: Vec<_> = reply.statements.iter().map(|done| done.status).collect();
        assert_eq!(
            statuses[statuses.len() - 2..],
            [StatementStatus::Refused, StatementStatus::NotRun]
        );
        assert_eq!(control.catalog().domains().len(), 1);
        Ok(())
    }

    #[test]
    fn what_is_left_alone_keeps_its_place() {
        assert_eq!(alone("ä;\nSTART; STOP;", &(4..9)), "  \nSTART");
    }
}
