//! One transaction while its statements are read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nspl_model::EntityKey;
use nspl_syntax::alter::Alter;
use nspl_syntax::entity::{Create, EntityRef};
use nspl_syntax::{Span, Spanned, Statement, print};

use super::alter::{self, Overwritten};
use super::model_kind;
use crate::candidate::{Judged, judge};
use crate::resolve::resolve;
use crate::rules;
use crate::stored;
use crate::world::{Defined, Overlay, Slot, World, suggestion};
use crate::{Catalog, ChangeClass, Diagnostic, Outcome, Settings, Transaction, Verb};

/// The statements of one transaction so far.
pub(super) struct Draft {
    base: Catalog,
    /// `None` until a statement needs it, or when a fault hides it.
    domain: Option<String>,
    overlay: Overlay,
    outcomes: Vec<Outcome>,
    /// IF NOT EXISTS of what is there: its outcome, and what it says.
    existing: Vec<(usize, Create)>,
    /// What reads of this transaction see; `None` after a change.
    candidate: Option<Catalog>,
    /// What ALTER EMITTER says and its candidate does not hold.
    overwritten: Vec<(EntityKey, Overwritten)>,
    /// Whether it has been reported that these statements need BEGIN.
    pub(super) several_reported: bool,
}

impl Draft {
    pub(super) fn new(base: Catalog) -> Draft {
        Draft {
            base,
            domain: None,
            overlay: BTreeMap::new(),
            outcomes: Vec::new(),
            existing: Vec::new(),
            candidate: None,
            overwritten: Vec::new(),
            several_reported: false,
        }
    }

    pub(super) fn enter(&mut self, domain: Option<&str>) {
        if self.domain.is_none() {
            self.domain = domain.map(str::to_owned);
        }
    }

    pub(super) fn hide(&mut self, key: &EntityKey) {
        self.candidate = None;
        self.overlay.entry(key.clone()).or_insert(Slot::Hidden);
    }

    pub(super) fn slot(&self, key: &EntityKey) -> Option<&Slot> {
        self.overlay.get(key)
    }

    pub(super) fn judge(&mut self, statement: &Spanned<Statement>, faults: &mut Vec<Diagnostic>) {
        self.candidate = None;
        match &statement.node {
            Statement::Create(create) => self.create(create, statement.span, faults),
            Statement::Drop(target) => self.drop_entity(target, statement.span, faults),
            Statement::Alter(alter) => self.alter(alter, statement.span, faults),
            _ => {}
        }
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

    fn create(&mut self, create: &Create, span: Span, faults: &mut Vec<Diagnostic>) {
        let name = create.entity.name();
        let key = EntityKey::new(model_kind(create.entity.kind()), name.text.as_str());
        let exists = match self.overlay.get(&key) {
            Some(Slot::Defined(_)) => true,
            Some(Slot::Dropped(_) | Slot::Hidden) => false,
            None => self.stored(&key).is_some(),
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

    fn drop_entity(&mut self, target: &EntityRef, span: Span, faults: &mut Vec<Diagnostic>) {
        let key = EntityKey::new(model_kind(target.kind), target.name.text.as_str());
        if !self.exists(&key, target.name.span, faults) {
            return;
        }
        self.overlay.insert(key.clone(), Slot::Dropped(span.range()));
        self.outcome(span, Verb::Dropped, key);
    }

    /// Whether something exists so far; what does not is reported.
    fn exists(&self, key: &EntityKey, place: Span, faults: &mut Vec<Diagnostic>) -> bool {
        let exists = match self.overlay.get(key) {
            Some(Slot::Defined(_) | Slot::Hidden) => true,
            Some(Slot::Dropped(_)) => false,
            None => self.domain.is_none() || self.stored(key).is_some(),
        };
        if !exists {
            let near = suggestion(&self.base, self.domain(), &self.overlay, key, faults.len());
            faults.push(rules::unknown_entity::fault(
                place,
                key,
                Some(self.domain()),
                near,
            ));
        }
        exists
    }

    fn alter(&mut self, statement: &Alter, span: Span, faults: &mut Vec<Diagnostic>) {
        let key = EntityKey::new(model_kind(statement.kind()), statement.name.text.as_str());
        if !self.exists(&key, statement.name.span, faults) {
            return;
        }
        let tree = match self.overlay.get(&key) {
            Some(Slot::Defined(defined)) => Some(defined.tree.clone()),
            Some(_) => None,
            None => self
                .stored(&key)
                .and_then(|entity| stored::tree(&entity.text).ok()),
        };
        let Some(tree) = tree else {
            self.overlay.insert(key, Slot::Hidden);
            return;
        };
        let faults_before = faults.len();
        let (tree, overwritten) = alter::altered(&tree, &statement.operations, span, faults);
        let overwritten = overwritten.into_iter().map(|found| (key.clone(), found));
        self.overwritten.extend(overwritten);
        let tree = Arc::new(tree);
        let slot = match faults.len() == faults_before {
            true => Slot::Defined(Defined {
                tree,
                statement: span.range(),
            }),
            false => Slot::Hidden,
        };
        self.overlay.insert(key.clone(), slot);
        self.outcome(span, Verb::Altered, key);
    }

    fn judged(&self, settings: &Settings) -> Judged {
        judge(
            &self.base,
            self.domain(),
            &self.overlay,
            settings,
            self.domain.is_none(),
        )
    }

    /// The catalog as it would be, as far as it is without faults. Judged once for the reads between two changes.
    pub(super) fn candidate(&mut self, settings: &Settings) -> Catalog {
        if let Some(candidate) = &self.candidate {
            return candidate.clone();
        }
        let candidate = self.judged(settings).catalog;
        self.candidate.insert(candidate).clone()
    }

    /// Judges all of it; `None` when no statement said anything about a known domain. What has a fault is `hidden` from
    /// then on, and what has none is not.
    pub(super) fn judge_all(
        mut self,
        settings: &Settings,
        faults: &mut Vec<Diagnostic>,
        hidden: &mut BTreeSet<EntityKey>,
    ) -> Option<Transaction> {
        let judged = self.judged(settings);
        let overwritten = self.overwritten_faults(&judged, settings);
        faults.extend(judged.faults);
        hidden.retain(|key| !self.overlay.contains_key(key));
        hidden.extend(judged.hidden);
        faults.extend(overwritten);
        self.compare_existing(&judged.catalog, settings, faults);
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

    /// What is wrong with what a later operation overwrites, and is not reported where it stands already.
    fn overwritten_faults(&self, judged: &Judged, settings: &Settings) -> Vec<Diagnostic> {
        if self.overwritten.is_empty() {
            return Vec::new();
        }
        let mut world = World::new(&self.base, self.domain(), &self.overlay, settings);
        world.open = self.domain.is_none();
        for (key, _) in self
            .overlay
            .iter()
            .filter(|(_, slot)| matches!(slot, Slot::Defined(_)))
        {
            // What has a fault of its own keeps its old definition, or has none: either hides nothing that is wrong.
            let definition = judged
                .catalog
                .get(self.domain(), key)
                .map(|entity| entity.definition.clone());
            world.resolved.insert(key.clone(), definition);
        }
        let mut found = Vec::new();
        for (key, Overwritten { span, trees }) in &self.overwritten {
            let mut each = trees.iter().map(|tree| resolve(&world, key, tree).faults);
            let mut common = each.next().unwrap_or_default();
            for others in each {
                common.retain(|fault| others.contains(fault));
            }
            let inside = |fault: &Diagnostic| span.start <= fault.span.start && fault.span.end <= span.end;
            common.retain(|fault| inside(fault) && !judged.faults.contains(fault));
            found.append(&mut common);
        }
        found
    }

    /// IF NOT EXISTS over something else is said to differ.
    fn compare_existing(&mut self, candidate: &Catalog, settings: &Settings, faults: &mut Vec<Diagnostic>) {
        let nothing = Overlay::new();
        let domain = self.domain.clone().unwrap_or_default();
        let world = World::new(candidate, &domain, &nothing, settings);
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
