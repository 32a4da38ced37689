//! A line while it is typed: its colours, and what TAB proposes.
//!
//! TAB asks the server, which knows the catalog; where it does not answer in time, the grammar and what was typed in this
//! transaction answer alone.

use std::{borrow::Cow, ops::Range, time::Duration};

use nervix_client::Client;
use nspl::{Catalog, Known};
use rustyline::{
    Context, Helper,
    completion::{Completer, Pair},
    highlight::{CmdKind, Highlighter},
    hint::Hinter,
    validate::Validator,
};
use tokio::runtime::Handle;

use super::highlight::highlight;
use crate::patience;

/// How long TAB waits for the server.
const COMPLETION_PATIENCE: Duration = Duration::from_secs(1);

/// The characters of a candidate's detail that are shown.
const DETAIL_CHARS_MAX: usize = 60;

/// What the line being typed belongs to.
pub(super) struct Line {
    client: Client,
    runtime: Handle,
    /// What was typed before the line: the open transaction, and the lines of the statement.
    pub(super) before: String,
    /// The session's domain.
    pub(super) domain: Option<String>,
}

/// A candidate, whoever proposed it.
struct Found {
    text: String,
    kind: String,
    detail: String,
    span: Range<usize>,
}

impl Line {
    pub(super) fn new(client: Client, runtime: Handle) -> Line {
        Line {
            client,
            runtime,
            before: String::new(),
            domain: None,
        }
    }

    fn candidates(&self, text: &str, cursor: usize) -> Vec<Found> {
        let domain = self.domain.as_deref();
        let asking = patience::within(COMPLETION_PATIENCE, self.client.complete(text, cursor, domain));
        if let Some(Ok(completion)) = self.runtime.block_on(asking) {
            let found = completion.candidates.into_iter().map(|candidate| Found {
                text: candidate.text,
                kind: candidate.kind,
                detail: candidate.detail,
                span: candidate.span,
            });
            return found.collect();
        }
        let known = Known {
            catalog: &Catalog::default(),
            domain,
            nodes: &[],
        };
        let completion = nspl::complete(text, cursor, &known);
        let found = completion.candidates.into_iter().map(|candidate| Found {
            text: candidate.text,
            kind: candidate.kind.word().to_owned(),
            detail: candidate.detail,
            span: candidate.span,
        });
        found.collect()
    }
}

impl Completer for Line {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let text = format!("{}{line}", self.before);
        let found = self.candidates(&text, self.before.len() + pos);
        let start = found.first().map(|first| first.span.start);
        // A string that was begun on a line above is not replaced from here.
        match start.and_then(|start| start.checked_sub(self.before.len())) {
            Some(start) => Ok((start, found.iter().map(pair).collect())),
            None => Ok((pos, Vec::new())),
        }
    }
}

fn pair(found: &Found) -> Pair {
    // Something follows a keyword always, a name not.
    let blank = if found.kind == "keyword" { " " } else { "" };
    let detail: String = found.detail.chars().take(DETAIL_CHARS_MAX).collect();
    Pair {
        display: format!("{}  {detail}", found.text).trim_end().to_owned(),
        replacement: format!("{}{blank}", found.text),
    }
}

impl Highlighter for Line {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        Cow::Owned(highlight(&self.before, line))
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        true
    }
}

impl Hinter for Line {
    type Hint = String;
}

impl Validator for Line {}

impl Helper for Line {}
