//! One script from its text to its results.

use std::{ops::Range, sync::Arc};

use nspl::{Action, PlannedStep, Read, Report, Transaction, Verb};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    Changes, Executed, Finding, Status, StepResult,
    answer::{Refusal, code},
};
use crate::{catalog::Changing, describe, graph};

/// How often a script is judged again because another control plane was first.
const ATTEMPTS_MAX: usize = 16;

/// Characters of a statement that a result quotes.
const STATEMENT_CHARS_MAX: usize = 80;

/// A script as it was sent.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) file: String,
    pub(crate) text: String,
    /// The session's domain before it begins.
    pub(crate) domain: Option<String>,
}

/// Who waits for what becomes of a script. When it has left, nothing of the script begins any more; what has begun is
/// carried through.
#[derive(Clone, Default)]
pub(crate) struct Caller(CancellationToken);

impl Caller {
    /// It waits until this is dropped.
    pub(crate) fn waits(&self) -> DropGuard {
        self.0.clone().drop_guard()
    }

    async fn left(&self) {
        self.0.cancelled().await;
    }
}

/// A script before its first step.
enum Prepared<'a> {
    /// Nothing is left to do.
    Answered(Executed),
    /// It is to change something.
    Judged {
        changing: Changing<'a>,
        judged: Result<Report, Refusal>,
    },
}

/// Why a step did not run.
pub(super) enum StepError {
    Refused(Refusal),
    /// The catalog changed meanwhile.
    Conflict,
}

impl From<Refusal> for StepError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Changes {
    /// The other control plane that a script has to be carried out by: where it asks for what only the worker that is
    /// attached there can do, or is about a node that is.
    pub(crate) async fn passed_on_to(&self, script: &Arc<Script>) -> Option<String> {
        let state = self.catalog.state();
        let elsewhere = |node: &str| self.elsewhere(&state, node);
        state.nodes.keys().find_map(|node| elsewhere(node))?;
        let owner = self.owner_elsewhere();
        let report = self.judge_unread(script, &state).await.ok()?;
        report.plan.steps.iter().find_map(|step| match &step.action {
            Action::Commit(transaction) => owner
                .clone()
                .filter(|_| !graph::drained_by(transaction, &state).is_empty()),
            Action::Read { read, .. } => owner.clone().filter(|_| describe::asks_the_node(read)),
            Action::Node { node, .. } => elsewhere(node),
            _ => None,
        })
    }

    /// Says what [`Self::execute`] would do, and does nothing.
    pub(crate) async fn validate(&self, script: &Arc<Script>) -> Executed {
        let report = match self.judge(script, &self.catalog.state()).await {
            Ok(report) if report.is_refused() => return refused(report),
            Ok(report) => report,
            Err(refusal) => return given_up(Executed::default(), 0, refusal),
        };
        let results = report
            .plan
            .steps
            .iter()
            .flat_map(|step| foreseen(step, &script.text))
            .collect();
        Executed {
            results,
            domain: report.plan.domain.clone(),
            findings: findings(report),
        }
    }

    /// Carries a script out, unless its caller leaves before anything of it has begun.
    pub(crate) async fn execute(&self, script: &Arc<Script>, caller: &Caller) -> Executed {
        let prepared = tokio::select! {
            prepared = self.prepare(script) => prepared,
            () = caller.left() => return Executed::default(),
        };
        match prepared {
            Prepared::Answered(executed) => executed,
            Prepared::Judged { changing, judged } => self.run(Arc::clone(script), &changing, judged).await,
        }
    }

    async fn prepare(&self, script: &Arc<Script>) -> Prepared<'_> {
        let state = self.catalog.state();
        let report = match self.judge(script, &state).await {
            Ok(report) if report.is_refused() => {
                self.metrics.script_refused();
                return Prepared::Answered(refused(report));
            }
            Ok(report) => report,
            Err(refusal) => return Prepared::Answered(given_up(Executed::default(), 0, refusal)),
        };
        if report.plan.steps.iter().all(|step| is_reading(&step.action)) {
            return Prepared::Answered(self.read_all(script, report).await);
        }
        // A drain of others, which may last, is what STOP ends: it does not wait behind it.
        let only_stops = |action: &Action| is_reading(action) || matches!(action, Action::Stop { .. });
        let changing = if report.plan.steps.iter().all(|step| only_stops(&step.action)) {
            self.catalog.beside()
        } else {
            self.catalog.changing().await
        };
        let current = changing.state();
        let judged = if Arc::ptr_eq(&state, &current) {
            Ok(report)
        } else {
            self.judge(script, &current).await
        };
        Prepared::Judged { changing, judged }
    }

    async fn read_all(&self, script: &Script, report: Report) -> Executed {
        let mut results = Vec::new();
        for step in &report.plan.steps {
            match &step.action {
                Action::Read {
                    domain,
                    read,
                    catalog,
                } => {
                    let answer = self.read(domain.as_deref(), read, catalog).await;
                    results.push(reading(&script.text, &step.span, answer));
                }
                _ => results.extend(foreseen(step, &script.text)),
            }
        }
        Executed {
            results,
            domain: report.plan.domain.clone(),
            findings: findings(report),
        }
    }

    async fn read(&self, domain: Option<&str>, read: &Read, catalog: &nspl::Catalog) -> describe::Answer {
        let reader = describe::Reader {
            state: self.catalog.state(),
            cluster: &self.cluster,
        };
        reader.read(domain.unwrap_or_default(), read, catalog).await
    }

    /// Runs step after step; after a conflict the rest is judged again over the new head.
    async fn run(
        &self,
        mut script: Arc<Script>,
        changing: &Changing<'_>,
        mut judged: Result<Report, Refusal>,
    ) -> Executed {
        let mut executed = Executed::default();
        let (mut at, mut rest) = (0, Vec::new());
        for attempt in 0..ATTEMPTS_MAX {
            let report = match judged {
                Ok(report) if report.is_refused() => {
                    executed.findings.extend(findings(report));
                    let reason = "the catalog changed meanwhile, and what is left is refused over that";
                    return ended(executed, because(rest, reason), &script);
                }
                Ok(report) => report,
                Err(refusal) => {
                    let rest = because(rest, &refusal.message);
                    return ended(given_up(executed, at, refusal), rest, &script);
                }
            };
            if attempt == 0 {
                executed.findings = findings_of(&report);
            }
            let conflict = self.run_steps(&report, &mut script, changing, &mut executed);
            let Some(place) = conflict.await else {
                return ended(executed, Vec::new(), &script);
            };
            at = place;
            rest = left(&report, &script.text, at);
            blank(&mut Arc::make_mut(&mut script).text, at);
            judged = match changing.catch_up().await {
                Ok(state) => self.judge(&script, &state).await,
                Err(error) => Err(unstored(&error)),
            };
        }
        let message = "other control planes kept changing the catalog; nothing more of the script ran";
        let refusal = Refusal::new(code::CONFLICT, message).help("run it again");
        ended(given_up(executed, at, refusal), because(rest, message), &script)
    }

    /// Runs step after step until one is refused; where another control plane was first, the place from which the script
    /// has to be judged again. What was answered behind that place is taken back.
    async fn run_steps(
        &self,
        report: &Report,
        script: &mut Arc<Script>,
        changing: &Changing<'_>,
        executed: &mut Executed,
    ) -> Option<usize> {
        let mut places = Vec::new();
        let mut steps = report.plan.steps.iter();
        while let Some(step) = steps.next() {
            places.push((step.span.start, executed.results.len()));
            match self.step(step, &script.text, changing).await {
                Ok(results) => executed.results.extend(results),
                Err(StepError::Conflict) => {
                    let at = step.span.start;
                    let kept = places.iter().find(|(start, _)| *start >= at);
                    executed.results.truncate(kept.map_or(0, |(_, kept)| *kept));
                    return Some(at);
                }
                Err(StepError::Refused(refusal)) => {
                    let refused = not_done(step, &script.text, Status::Refused, &refusal.message);
                    executed.results.extend(refused);
                    executed.findings.push(refusal.finding(step.span.clone()));
                    let reason = "a statement before it was refused";
                    let rest = steps.flat_map(|step| not_done(step, &script.text, Status::NotRun, reason));
                    executed.results.extend(rest);
                    return None;
                }
            }
            if let Action::Use { domain } = &step.action {
                Arc::make_mut(script).domain = Some(domain.clone());
            }
        }
        None
    }

    async fn step(
        &self,
        step: &PlannedStep,
        text: &str,
        changing: &Changing<'_>,
    ) -> Result<Vec<StepResult>, StepError> {
        let one = |message: String| vec![plain(text, &step.span, Status::Ok, message)];
        match &step.action {
            Action::Use { domain } => Ok(one(format!("using domain {domain}"))),
            Action::Revert => Ok(one("reverted; nothing changed".into())),
            Action::Commit(transaction) => self.commit(transaction, changing).await,
            Action::Start { domain, at, rate } => self.start(changing, domain, *at, *rate).await.map(one),
            Action::Stop { domain } => self.stop(changing, domain).await.map(one),
            Action::Read {
                domain,
                read,
                catalog,
            } => {
                let answer = self.read(domain.as_deref(), read, catalog).await;
                Ok(vec![reading(text, &step.span, answer)])
            }
            Action::Upload { resource, folder, .. } => Err(Refusal::new(
                code::UPLOAD,
                format!("the folder {folder:?} of RESOURCE {resource} is on the client's machine, not here"),
            )
            .help("run the script with `nervix apply`, or send the files by UploadResource")
            .into()),
            Action::Node { verb, node } => self.node(changing, *verb, node).await.map(one),
        }
    }
}

/// Blanks what has run already, so that the rest keeps its places.
fn blank(text: &mut String, until: usize) {
    let rest = text.get(until..).unwrap_or_default();
    let done = text.get(..until).unwrap_or_default();
    let blanks: String = done.chars().flat_map(blanked).collect();
    *text = blanks + rest;
}

/// As many bytes as the character has, and the same lines.
fn blanked(c: char) -> impl Iterator<Item = char> {
    let blank = if c == '\n' { '\n' } else { ' ' };
    std::iter::repeat_n(blank, c.len_utf8())
}

fn is_reading(action: &Action) -> bool {
    matches!(action, Action::Use { .. } | Action::Read { .. } | Action::Revert)
}

fn refused(report: Report) -> Executed {
    Executed {
        domain: report.plan.domain.clone(),
        findings: findings(report),
        results: Vec::new(),
    }
}

fn findings(report: Report) -> Vec<Finding> {
    report.diagnostics.into_iter().map(Finding).collect()
}

fn findings_of(report: &Report) -> Vec<Finding> {
    report.diagnostics.iter().cloned().map(Finding).collect()
}

/// What a script that ran comes to, with what it did not come to and the domain that it left in effect.
fn ended(mut executed: Executed, rest: Vec<StepResult>, script: &Script) -> Executed {
    executed.results.extend(rest);
    executed.domain.clone_from(&script.domain);
    executed
}

/// The statements from a place on, as ones that did not run; why is yet to be said.
fn left(report: &Report, text: &str, from: usize) -> Vec<StepResult> {
    let steps = report.plan.steps.iter().filter(|step| step.span.start >= from);
    steps
        .flat_map(|step| not_done(step, text, Status::NotRun, ""))
        .collect()
}

/// What did not run, with the reason.
fn because(mut rest: Vec<StepResult>, reason: &str) -> Vec<StepResult> {
    for result in &mut rest {
        result.message = reason.into();
    }
    rest
}

fn given_up(mut executed: Executed, at: usize, refusal: Refusal) -> Executed {
    executed.findings.push(refusal.finding(at..at));
    executed
}

/// The refusal of a step whose store failed.
pub(super) fn unstored(error: &crate::catalog::LoadError) -> Refusal {
    Refusal::new(code::STORE, error.to_string()).help("run it again when the store answers")
}

/// The words of the statement itself, on one line. Only for statements that hold no secrets.
fn words(text: &str, span: &Range<usize>) -> String {
    let statement = text.get(span.clone()).unwrap_or_default();
    let line = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_end_matches(';')
        .trim_end()
        .chars()
        .take(STATEMENT_CHARS_MAX)
        .collect()
}

fn plain(text: &str, span: &Range<usize>, status: Status, message: String) -> StepResult {
    StepResult {
        status,
        statement: words(text, span),
        message,
        class: None,
        table: None,
    }
}

fn reading(text: &str, span: &Range<usize>, answer: describe::Answer) -> StepResult {
    let mut result = plain(text, span, Status::Ok, answer.text);
    result.table = Some(answer.table);
    result
}

/// One result per statement of a transaction.
pub(super) fn outcomes(transaction: &Transaction) -> impl Iterator<Item = StepResult> {
    transaction.outcomes.iter().map(|outcome| {
        let (word, status) = match outcome.verb {
            Verb::Created => ("CREATE", Status::Ok),
            Verb::AlreadyExisted { .. } => ("CREATE", Status::AlreadyExisted),
            Verb::Altered => ("ALTER", Status::Ok),
            Verb::Dropped => ("DROP", Status::Ok),
        };
        let changed = status == Status::Ok;
        StepResult {
            status,
            statement: format!("{word} {}", outcome.key),
            message: outcome.verb.as_str().into(),
            class: changed.then_some(transaction.class),
            table: None,
        }
    })
}

fn not_done(step: &PlannedStep, text: &str, status: Status, reason: &str) -> Vec<StepResult> {
    match &step.action {
        Action::Commit(transaction) => outcomes(transaction)
            .map(|result| StepResult {
                status,
                message: reason.into(),
                class: None,
                ..result
            })
            .collect(),
        _ => vec![plain(text, &step.span, status, reason.into())],
    }
}

/// What a step would come to.
fn foreseen(step: &PlannedStep, text: &str) -> Vec<StepResult> {
    match &step.action {
        Action::Commit(transaction) => outcomes(transaction).collect(),
        Action::Use { domain } => {
            vec![plain(
                text,
                &step.span,
                Status::Ok,
                format!("using domain {domain}"),
            )]
        }
        Action::Revert => {
            vec![plain(
                text,
                &step.span,
                Status::Ok,
                "reverted; nothing changed".into(),
            )]
        }
        _ => vec![plain(text, &step.span, Status::Ok, String::new())],
    }
}
