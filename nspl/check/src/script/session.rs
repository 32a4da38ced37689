//! The session of a script: its domain, its transactions, and what may stand where (rulings section 1).

mod broken;
mod reading;

use std::collections::BTreeSet;

use nspl_model::{EntityKey, EntityKind, Pacing};
use nspl_syntax::domain::{Domain, Start, StartAt as TreeStartAt};
use nspl_syntax::entity::Entity as Tree;
use nspl_syntax::node::{NodeAction, NodeStatement};
use nspl_syntax::resource::UploadResource;
use nspl_syntax::{Name, Span, Spanned, Statement};

use super::Item;
use super::broken::Does;
use super::transaction::Draft;
use crate::candidate::entity as catalog_entity;
use crate::resolve::domain as resolve_domain;
use crate::rules;
use crate::stored::Trees;
use crate::world::{Overlay, Surroundings, Unseen, suggestion};
use crate::{
    Action, Catalog, Cause, Change, ChangeClass, Diagnostic, NodeVerb, Outcome, Plan, PlannedStep, Settings,
    StartAt, Transaction, Verb,
};

/// Which domain statements are about.
#[derive(Clone, PartialEq)]
enum Setting {
    None,
    Named(String),
    /// A fault hides it; nothing is missing there.
    Hidden,
}

/// The state of a script between two statements.
pub(super) struct Session<'t> {
    settings: Settings,
    /// Whether anybody still waits for the judgement.
    is_wanted: &'t dyn Fn() -> bool,
    catalog: Catalog,
    domain: Setting,
    steps: Vec<PlannedStep>,
    faults: Vec<Diagnostic>,
    /// BEGIN, where it stands, until COMMIT or REVERT.
    open: Option<(Span, Draft<'t>)>,
    /// Model statements in a row outside of BEGIN.
    row: Option<(Span, Draft<'t>)>,
    /// What broken statements may define, and what was refused.
    hidden: Unseen,
    /// Whether a broken statement may have begun or ended a transaction.
    is_lost: bool,
    /// Of stored statements that transactions of this script have judged.
    trees: Trees,
}

impl<'t> Session<'t> {
    pub(super) fn new(
        settings: &Settings,
        catalog: &Catalog,
        is_wanted: &'t dyn Fn() -> bool,
    ) -> Session<'t> {
        Session {
            settings: settings.clone(),
            is_wanted,
            catalog: catalog.clone(),
            domain: settings.domain.clone().map_or(Setting::None, Setting::Named),
            steps: Vec::new(),
            faults: Vec::new(),
            open: None,
            row: None,
            hidden: Unseen::default(),
            is_lost: false,
            trees: Trees::default(),
        }
    }

    pub(super) fn judge(&mut self, item: &Item<'t>) {
        match item {
            Item::Read(statement) if statement.is_model() => self.model(statement),
            Item::Read(statement) => {
                self.end_row();
                self.other(statement);
            }
            Item::Broken(broken) => {
                if !broken.is_model {
                    self.end_row();
                }
                match &broken.does {
                    Does::Says(broken, tree) => self.broken(broken, tree),
                    Does::Guessed(guess) => self.guessed(guess, broken.span),
                }
            }
        }
    }

    pub(super) fn finish(mut self) -> (Plan, Vec<Diagnostic>) {
        self.end_row();
        if let Some((begin, _)) = &self.open {
            if !self.is_lost {
                self.faults.push(rules::open_transaction::fault(*begin));
            }
            self.commit(*begin);
        }
        let domain = match self.domain {
            Setting::Named(name) => Some(name),
            Setting::None | Setting::Hidden => None,
        };
        (
            Plan {
                steps: self.steps,
                catalog: self.catalog,
                domain,
            },
            self.faults,
        )
    }

    /// Whether something exists so far, with what the open transaction says.
    fn exists(&self, domain: &str, key: &EntityKey) -> bool {
        let drafted = self.open.as_ref().and_then(|(_, draft)| draft.exists_so_far(key));
        drafted.unwrap_or_else(|| self.catalog.get(domain, key).is_some() || self.hidden.contains(key))
    }

    /// The session's domain for a statement that needs one; `None` when a fault hides it.
    fn needed_domain(&mut self, span: Span) -> Option<String> {
        match &self.domain {
            Setting::Named(name) if self.catalog.domain(name).is_some() => return Some(name.clone()),
            Setting::Named(name) if self.hides_domain(name) => {}
            Setting::Named(name) => {
                self.faults
                    .push(rules::unknown_domain::fault(span.range(), name, &self.catalog));
            }
            Setting::None => self.faults.push(rules::no_domain::fault(span)),
            Setting::Hidden => return None,
        }
        self.domain = Setting::Hidden;
        None
    }

    fn hides_domain(&self, name: &str) -> bool {
        self.hidden.contains(&EntityKey::new(EntityKind::Domain, name))
    }

    fn model(&mut self, statement: &'t Spanned<Statement>) {
        let domain = self.needed_domain(statement.span);
        if self.open.is_none() {
            match &mut self.row {
                None => self.row = Some((statement.span, Draft::new(self.catalog.clone()))),
                Some((first, draft)) => {
                    if !std::mem::replace(&mut draft.several_reported, true) && !self.is_lost {
                        self.faults
                            .push(rules::several_statements::fault(statement.span, *first));
                    }
                }
            }
        }
        let Some((_, draft)) = self.open.as_mut().or(self.row.as_mut()) else {
            return;
        };
        draft.enter(domain.as_deref());
        draft.judge(statement, &self.hidden, &mut self.faults);
    }

    /// Judges the model statements that stand alone.
    fn end_row(&mut self) {
        if let Some((first, draft)) = self.row.take() {
            self.keep(first, draft);
        }
    }

    fn commit(&mut self, end: Span) {
        self.end_row();
        if let Some((begin, draft)) = self.open.take() {
            self.keep(begin.to(end), draft);
        }
    }

    fn keep(&mut self, span: Span, mut draft: Draft<'t>) {
        self.show_candidates(&mut draft);
        let surroundings = Surroundings {
            settings: &self.settings,
            is_wanted: self.is_wanted,
        };
        let Some(transaction) =
            draft.judge_all(surroundings, &mut self.faults, &mut self.hidden, &mut self.trees)
        else {
            return;
        };
        self.catalog = transaction.candidate.clone();
        self.step(span, Action::Commit(Box::new(transaction)));
    }

    /// Gives the reads of a transaction that has ended what they read.
    fn show_candidates(&mut self, draft: &mut Draft<'t>) {
        for (step, snapshot) in draft.snapshots(&self.settings) {
            if let Some(Action::Read { catalog, .. }) = self.steps.get_mut(step).map(|step| &mut step.action)
            {
                *catalog = snapshot;
            }
        }
    }

    fn step(&mut self, span: Span, action: Action) {
        self.steps.push(PlannedStep {
            span: span.range(),
            action,
        });
    }

    fn other(&mut self, statement: &Spanned<Statement>) {
        let span = statement.span;
        match &statement.node {
            Statement::Begin => match &self.open {
                Some(_) if self.is_lost => {
                    self.is_lost = false;
                    self.commit(span);
                    self.open = Some((span, Draft::new(self.catalog.clone())));
                }
                Some((begin, _)) => self.faults.push(rules::nested_begin::fault(span, *begin)),
                None => self.open = Some((span, Draft::new(self.catalog.clone()))),
            },
            Statement::Commit if self.open.is_some() => self.commit(span),
            Statement::Revert if self.open.is_some() => {
                if let Some((begin, mut draft)) = self.open.take() {
                    self.show_candidates(&mut draft);
                    self.step(begin.to(span), Action::Revert);
                }
            }
            Statement::Commit | Statement::Revert if self.is_lost => self.is_lost = false,
            Statement::Commit => self.faults.push(rules::no_transaction::fault(span, "COMMIT")),
            Statement::Revert => self.faults.push(rules::no_transaction::fault(span, "REVERT")),
            Statement::Show(show) => self.show(show, span),
            Statement::Describe(describe) => self.describe(describe, span),
            _ => {
                if let Some((begin, _)) = self.open.as_ref().filter(|_| !self.is_lost) {
                    self.faults
                        .push(rules::barred_in_transaction::fault(span, *begin));
                }
                self.alone(statement);
            }
        }
    }

    /// Statements that stand alone. Inside BEGIN they are refused, and still judged for what follows them.
    fn alone(&mut self, statement: &Spanned<Statement>) {
        let span = statement.span;
        match &statement.node {
            Statement::Use(name) if self.open.is_some() => self.refused_use(name, span),
            Statement::Use(name) => self.use_domain(name, span),
            Statement::Start(start) => self.start(start, span),
            Statement::Stop => {
                if let Some(domain) = self.needed_domain(span) {
                    self.step(span, Action::Stop { domain });
                }
            }
            Statement::Upload(upload) => self.upload(upload, span),
            Statement::Node(node) => self.node(node, span),
            Statement::Create(create) => {
                if let Tree::Domain(domain) = &create.entity {
                    self.create_domain(domain, create.if_not_exists, span);
                }
            }
            Statement::Drop(target) => self.drop_domain(&target.name, span),
            _ => {}
        }
    }

    fn use_domain(&mut self, name: &Name, span: Span) {
        if self.catalog.domain(&name.text).is_some() {
            self.domain = Setting::Named(name.text.clone());
            self.step(
                span,
                Action::Use {
                    domain: name.text.clone(),
                },
            );
            return;
        }
        if !self.hides_domain(&name.text) {
            self.faults.push(rules::unknown_domain::fault(
                name.span.range(),
                &name.text,
                &self.catalog,
            ));
        }
        self.domain = Setting::Hidden;
    }

    /// A USE inside BEGIN: it changes nothing, so a domain that was chosen before stays that of the transaction's
    /// statements. Which one is meant by those that follow is not known when the two differ, so nothing is missing there.
    fn refused_use(&mut self, name: &Name, span: Span) {
        match &self.domain {
            Setting::None => self.use_domain(name, span),
            Setting::Named(known) if *known == name.text => {}
            Setting::Named(_) | Setting::Hidden => self.domain = Setting::Hidden,
        }
    }

    fn create_domain(&mut self, tree: &Domain, if_not_exists: bool, span: Span) {
        let mut faults = Vec::new();
        let definition = resolve_domain(tree, &mut faults);
        self.faults.extend(faults);
        let key = EntityKey::new(EntityKind::Domain, tree.name.text.as_str());
        let before = self.catalog.domain_entity(&tree.name.text).cloned();
        if let Some(before) = before {
            if !if_not_exists {
                self.faults
                    .push(rules::duplicate_name::stored(tree.name.span, &key, None));
                return;
            }
            let differs = definition.is_none_or(|new| self.catalog.domain(&tree.name.text) != Some(&new));
            if differs {
                self.faults
                    .push(rules::existing_differs::fault(span, &before.key));
            }
            self.domain_step(span, (key, Verb::AlreadyExisted { differs }), None);
            return;
        }
        let Some(definition) = definition else {
            self.hidden.add(key);
            return;
        };
        let model = nspl_model::Definition::Domain(definition.clone());
        let entity = catalog_entity(&key, &Tree::Domain(tree.clone()), model, &BTreeSet::new());
        self.catalog.define_domain(definition, entity.clone());
        let change = Change {
            key: key.clone(),
            before: None,
            after: Some(entity),
            class: ChangeClass::None,
            cause: Cause::Statement,
        };
        self.domain_step(span, (key, Verb::Created), Some(change));
    }

    fn drop_domain(&mut self, name: &Name, span: Span) {
        let key = EntityKey::new(EntityKind::Domain, name.text.as_str());
        let Some(entity) = self.catalog.domain_entity(&name.text).cloned() else {
            if !self.hidden.remove(&key) && !self.hidden.contains(&key) {
                let known = suggestion(&self.catalog, "", &Overlay::new(), &key, self.faults.len());
                self.faults
                    .push(rules::unknown_entity::fault(name.span, &key, None, known));
            }
            return;
        };
        if let Some((count, some)) = self.catalog.some_entity(&name.text) {
            self.faults
                .push(rules::domain_not_empty::fault(span, &name.text, &some.key, count));
            return;
        }
        self.catalog.remove_domain(&name.text);
        let change = Change {
            key: key.clone(),
            before: Some(entity),
            after: None,
            class: ChangeClass::None,
            cause: Cause::Statement,
        };
        self.domain_step(span, (key, Verb::Dropped), Some(change));
    }

    fn domain_step(&mut self, span: Span, outcome: (EntityKey, Verb), change: Option<Change>) {
        let (key, verb) = outcome;
        let transaction = Transaction {
            domain: key.name.to_string(),
            outcomes: vec![Outcome {
                span: span.range(),
                verb,
                key,
            }],
            changes: change.into_iter().collect(),
            class: ChangeClass::None,
            candidate: self.catalog.clone(),
        };
        self.step(span, Action::Commit(Box::new(transaction)));
    }

    fn start(&mut self, start: &Start, span: Span) {
        let Some(domain) = self.needed_domain(span) else {
            return;
        };
        let paced = self
            .catalog
            .domain(&domain)
            .is_some_and(|domain| domain.pacing != Pacing::Unpaced);
        if start.at.is_some() && !paced {
            self.faults.push(rules::start::needs_pace(span, &domain));
            return;
        }
        let at = match &start.at {
            None | Some(TreeStartAt::Now(_)) => Some(StartAt::Now),
            Some(TreeStartAt::Instant(text)) => match crate::constant::datetime::read_datetime(&text.value) {
                Ok(nanos) => Some(StartAt::Instant(nanos)),
                Err(why) => {
                    self.faults.push(rules::start::instant(text.span, &why));
                    None
                }
            },
        };
        let rate = match &start.rate {
            None => Some(None),
            Some(rate) => match rate.node.text.parse::<f64>() {
                Ok(value) if value.is_finite() && value > 0.0 => Some(Some(value)),
                _ => {
                    self.faults.push(rules::start::rate(rate.span));
                    None
                }
            },
        };
        if let Some((at, rate)) = at.zip(rate) {
            self.step(span, Action::Start { domain, at, rate });
        }
    }

    fn upload(&mut self, upload: &UploadResource, span: Span) {
        let Some(domain) = self.needed_domain(span) else {
            return;
        };
        let key = EntityKey::new(EntityKind::Resource, upload.name.text.as_str());
        if !self.exists(&domain, &key) {
            let known = suggestion(&self.catalog, &domain, &Overlay::new(), &key, self.faults.len());
            self.faults.push(rules::unknown_entity::fault(
                upload.name.span,
                &key,
                Some(&domain),
                known,
            ));
            return;
        }
        let folder = upload.folder.value.clone();
        if folder.is_empty() || folder.contains(char::is_control) {
            self.faults.push(rules::upload_folder::fault(upload.folder.span));
            return;
        }
        if let Some(resources) = &mut self.settings.resources {
            resources.upload(&domain, &upload.name.text, &folder);
        }
        self.step(
            span,
            Action::Upload {
                domain,
                resource: upload.name.text.clone(),
                folder,
            },
        );
    }

    fn node(&mut self, node: &NodeStatement, span: Span) {
        let verb = match node.action {
            NodeAction::Cordon => NodeVerb::Cordon,
            NodeAction::Uncordon => NodeVerb::Uncordon,
            NodeAction::Drain => NodeVerb::Drain,
            NodeAction::Drop => NodeVerb::Drop,
        };
        self.step(
            span,
            Action::Node {
                verb,
                node: node.node.text.clone(),
            },
        );
    }
}
