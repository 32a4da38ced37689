//! One transaction while its statements are read.

mod altering;
mod aside;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nspl_model::EntityKey;
use nspl_syntax::entity::{Create, EntityRef};
use nspl_syntax::{Span, Spanned, Statement, print};

use super::model_kind;
use super::snapshot::{Replay, Snapshot};
use altering::{Altered, Doubted};
use aside::Aside;
pub(super) use aside::Counted;

use crate::candidate::{Judged, judge};
use crate::resolve::resolve;
use crate::rules;
use crate::stored::Trees;
use crate::world::{Defined, Hidden, Overlay, Slot, Surroundings, Unseen, World, suggestion};
use crate::{Catalog, ChangeClass, Diagnostic, Outcome, Settings, Transaction, Verb};

/// The statements of one transaction so far.
pub(super) struct Draft<'t> {
    base: Catalog,
    /// `None` until a statement needs it, or when a fault hides it.
    domain: Option<String>,
    overlay: Overlay,
    /// What the last statement altered: it is in the overlay when something else is said.
    altered: Option<Altered>,
    /// What was altered and is not known any more: it is hidden, and judged aside as far as it is known.
    doubted: BTreeMap<EntityKey, Doubted>,
    outcomes: Vec<Outcome>,
    /// IF NOT EXISTS of what is there: its outcome, and what it says.
    existing: Vec<(usize, Create)>,
    /// What reads of this transaction are to see: its statements, and of each read its step and how many precede it.
    statements: Vec<&'t Spanned<Statement>>,
    reads: Vec<(usize, usize)>,
    /// What its statements say and its candidate does not hold, and how many of these are long.
    asides: Vec<Aside>,
    long_asides: usize,
    /// Whether it has been reported that these statements need BEGIN.
    pub(super) several_reported: bool,
}

/// A statement, and what earlier faults hide from it.
#[derive(Clone, Copy)]
struct Site<'a> {
    span: Span,
    hidden: &'a Unseen,
}

impl<'t> Draft<'t> {
    pub(super) fn new(base: Catalog) -> Draft<'t> {
        Draft {
            base,
            domain: None,
            overlay: BTreeMap::new(),
            altered: None,
            doubted: BTreeMap::new(),
            outcomes: Vec::new(),
            existing: Vec::new(),
            statements: Vec::new(),
            reads: Vec::new(),
            asides: Vec::new(),
            long_asides: 0,
            several_reported: false,
        }
    }

    /// Statements behind others, whose candidate is the base and does not hold what is pending.
    pub(super) fn going_on(base: Catalog, pending: Overlay) -> Draft<'t> {
        Draft {
            overlay: pending,
            ..Draft::new(base)
        }
    }

    pub(super) fn enter(&mut self, domain: Option<&str>) {
        if self.domain.is_none() {
            self.domain = domain.map(str::to_owned);
        }
    }

    /// Whether something exists, where the transaction says anything about it.
    pub(super) fn exists_so_far(&self, key: &EntityKey) -> Option<bool> {
        if self.altered.as_ref().is_some_and(|altered| altered.key == *key) {
            return Some(true);
        }
        let slot = self.overlay.get(key)?;
        Some(!matches!(slot, Slot::Dropped(_)))
    }

    /// What its statements say so far, but for the last ALTER.
    pub(super) fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    /// `hidden`: what earlier faults hide; what this transaction says goes first.
    pub(super) fn judge(
        &mut self,
        statement: &'t Spanned<Statement>,
        hidden: &Unseen,
        faults: &mut Vec<Diagnostic>,
    ) {
        self.statements.push(statement);
        self.say(statement, hidden, faults);
    }

    /// Says again what has been judged.
    pub(super) fn replay(&mut self, statement: &Spanned<Statement>) {
        self.say(statement, &Unseen::default(), &mut Vec::new());
    }

    fn say(&mut self, statement: &Spanned<Statement>, hidden: &Unseen, faults: &mut Vec<Diagnostic>) {
        let site = Site {
            span: statement.span,
            hidden,
        };
        if let Statement::Alter(alter) = &statement.node {
            return self.alter(alter, site, faults);
        }
        self.close_altering();
        match &statement.node {
            Statement::Create(create) => self.create(create, site, faults),
            Statement::Drop(target) => self.drop_entity(target, site, faults),
            _ => {}
        }
    }

    /// The step reads the candidate so far.
    pub(super) fn read_by(&mut self, step: usize) {
        self.reads.push((step, self.statements.len()));
    }

    /// The steps that read, each with what it reads.
    pub(super) fn snapshots(&mut self, settings: &Settings) -> Vec<(usize, Snapshot)> {
        if self.reads.is_empty() {
            return Vec::new();
        }
        let replay = Arc::new(Replay::new(
            self.base.clone(),
            self.domain.clone(),
            settings.clone(),
            self.statements.drain(..).cloned().collect(),
        ));
        let reads = self.reads.drain(..);
        reads
            .map(|(step, count)| (step, Snapshot::after(replay.clone(), count)))
            .collect()
    }

    fn domain(&self) -> &str {
        self.domain.as_deref().unwrap_or_default()
    }

    fn stored(&self, key: &EntityKey) -> Option<&Arc<crate::Entity>> {
        self.base.get(self.domain(), key)
    }

    fn outcome(&mut self, span: Span, verb: Verb, key: EntityKey) {
        self.outcomes.push(Outcome {
            span: span.range(),
            verb,
            key,
        });
    }

    fn create(&mut self, create: &Create, site: Site<'_>, faults: &mut Vec<Diagnostic>) {
        let span = site.span;
        let name = create.entity.name();
        let key = EntityKey::new(model_kind(create.entity.kind()), name.text.as_str());
        let exists = match self.overlay.get(&key) {
            Some(Slot::Defined(_)) => true,
            Some(Slot::Dropped(_) | Slot::Hidden) => false,
            None => !site.hidden.is_named(&key) && self.stored(&key).is_some(),
        };
        if exists && create.if_not_exists {
            self.existing.push((self.outcomes.len(), create.clone()));
            self.outcome(span, Verb::AlreadyExisted { differs: false }, key);
            return;
        }
        if exists {
            faults.push(match self.overlay.get(&key) {
                Some(Slot::Defined(first)) => {
                    rules::duplicate_name::in_script(name.span, &key, first.statement.clone())
                }
                _ => rules::duplicate_name::stored(name.span, &key, Some(self.domain())),
            });
            self.create_aside(create, Counted::Within(span));
            return;
        }
        let tree = Arc::new(create.entity.clone());
        self.overlay.insert(
            key.clone(),
            Slot::Defined(Defined {
                tree,
                statement: span.range(),
            }),
        );
        self.outcome(span, Verb::Created, key);
    }

    fn drop_entity(&mut self, target: &EntityRef, site: Site<'_>, faults: &mut Vec<Diagnostic>) {
        let key = EntityKey::new(model_kind(target.kind), target.name.text.as_str());
        if !self.exists((&key, target.name.span), site, faults) {
            return;
        }
        self.overlay.insert(key.clone(), Slot::Dropped(site.span.range()));
        self.outcome(site.span, Verb::Dropped, key);
    }

    /// Whether something exists so far; what does not is reported.
    fn exists(&self, (key, place): (&EntityKey, Span), site: Site<'_>, faults: &mut Vec<Diagnostic>) -> bool {
        let exists = match self.overlay.get(key) {
            Some(Slot::Defined(_) | Slot::Hidden) => true,
            Some(Slot::Dropped(_)) => false,
            None => self.domain.is_none() || site.hidden.contains(key) || self.stored(key).is_some(),
        };
        if !exists {
            let known = suggestion(&self.base, self.domain(), &self.overlay, key, faults.len());
            faults.push(rules::unknown_entity::fault(
                place,
                key,
                Some(self.domain()),
                known,
            ));
        }
        exists
    }

    fn judged(&self, surroundings: Surroundings<'_>, hidden: &Unseen, trees: &mut Trees) -> Judged {
        let surroundings = (surroundings, self.hidden(hidden));
        judge(&self.base, self.domain(), &self.overlay, surroundings, trees)
    }

    fn hidden<'h>(&self, unseen: &'h Unseen) -> Hidden<'h> {
        Hidden {
            domain: self.domain.is_none(),
            unseen,
        }
    }

    /// The catalog as it would be, as far as it is without faults, and what of this transaction is not in it as it was
    /// meant to be.
    pub(super) fn candidate(mut self, settings: &Settings) -> (Catalog, Overlay) {
        self.close_altering();
        let judged = self.judged(
            Surroundings::of(settings),
            &Unseen::default(),
            &mut Trees::default(),
        );
        let hidden: BTreeSet<EntityKey> = judged.hidden.into_iter().collect();
        let pending = self.overlay.into_iter();
        let pending = pending.filter(|(key, slot)| hidden.contains(key) && !matches!(slot, Slot::Dropped(_)));
        (judged.catalog, pending.collect())
    }

    /// Judges all of it; `None` when no statement said anything about a known domain. What has a fault is `hidden` from
    /// then on, and what has none is not.
    pub(super) fn judge_all(
        mut self,
        surroundings: Surroundings<'_>,
        faults: &mut Vec<Diagnostic>,
        hidden: &mut Unseen,
        trees: &mut Trees,
    ) -> Option<Transaction> {
        self.close_altering();
        let judged = self.judged(surroundings, hidden, trees);
        let aside = self.faults_aside(&judged, surroundings, hidden);
        faults.extend(judged.faults);
        for key in self.overlay.keys() {
            // What was defined in a domain that is not known is missing in none.
            match self.domain {
                Some(_) => _ = hidden.remove(key),
                None => hidden.add(key.clone()),
            }
        }
        for key in judged.hidden {
            hidden.add(key);
        }
        faults.extend(aside);
        self.compare_existing(&judged.catalog, surroundings, faults);
        let class = judged
            .changes
            .iter()
            .map(|change| change.class)
            .max()
            .unwrap_or(ChangeClass::None);
        Some(Transaction {
            domain: self.domain?,
            outcomes: self.outcomes,
            changes: judged.changes,
            class,
            candidate: judged.catalog,
        })
    }

    /// IF NOT EXISTS over something else is said to differ.
    fn compare_existing(
        &mut self,
        candidate: &Catalog,
        surroundings: Surroundings<'_>,
        faults: &mut Vec<Diagnostic>,
    ) {
        let nothing = Overlay::new();
        let domain = self.domain.clone().unwrap_or_default();
        let world = World::new(candidate, &domain, &nothing, surroundings, Hidden::NOTHING);
        for (index, create) in &self.existing {
            let Some(outcome) = self.outcomes.get_mut(*index) else {
                continue;
            };
            let Some(entity) = candidate.get(&domain, &outcome.key) else {
                continue;
            };
            let plain = Create {
                if_not_exists: false,
                entity: create.entity.clone(),
            };
            if *print(&Statement::Create(plain)) == *entity.text {
                continue;
            }
            let written = resolve(&world, &outcome.key, &create.entity);
            if written
                .definition
                .is_none_or(|definition| definition != entity.definition)
            {
                outcome.verb = Verb::AlreadyExisted { differs: true };
                faults.push(rules::existing_differs::fault(outcome.span.clone(), &outcome.key));
            }
        }
    }
}
