//! ALTER in a transaction.
//!
//! What statements alter in a row is taken apart once. Where an operation is refused, or a statement is broken, what it
//! alters is doubted: the entity is hidden from what refers to it, and what else is said of it is judged aside.

use std::ops::Range;
use std::sync::Arc;

use nspl_model::{EntityKey, EntityKind};
use nspl_syntax::Span;
use nspl_syntax::alter::Alter;

use super::aside::{Aside, Counted};
use super::{Draft, Site};
use crate::script::alter::{Altering, Overwritten};
use crate::script::model_kind;
use crate::stored;
use crate::world::{Defined, Slot, Unseen};
use crate::{Diagnostic, Verb};

/// What statements alter, one after the other.
pub(super) struct Altered {
    pub(super) key: EntityKey,
    /// The last of them.
    statement: Range<usize>,
    altering: Altering,
    doubt: Option<Doubt>,
}

/// What is altered and not known any more.
pub(super) struct Doubted {
    altering: Altering,
    doubt: Doubt,
}

/// Why something is doubted.
#[derive(Default)]
struct Doubt {
    /// Where broken statements that alter it may say something else than what was meant.
    places: Vec<Span>,
    /// Whether there was one: then nobody knows what further operations find.
    is_lost: bool,
}

impl Draft<'_> {
    /// Puts what the last statements altered into the overlay.
    pub(super) fn close_altering(&mut self) {
        let Some(altered) = self.altered.take() else {
            return;
        };
        let slot = match altered.doubt {
            Some(doubt) => {
                let altering = altered.altering;
                self.doubted
                    .insert(altered.key.clone(), Doubted { altering, doubt });
                Slot::Hidden
            }
            None => Slot::Defined(Defined {
                tree: Arc::new(altered.altering.finish()),
                statement: altered.statement,
            }),
        };
        self.overlay.insert(altered.key, slot);
    }

    /// A broken statement may define or change this: what is said of it so far is judged aside, and what is said of it
    /// later not at all.
    pub(in crate::script) fn doubt(&mut self, key: &EntityKey) {
        self.close_altering();
        if let Some(Slot::Defined(defined)) = self.overlay.insert(key.clone(), Slot::Hidden) {
            self.asides.push(Aside {
                key: key.clone(),
                trees: vec![defined.tree],
                counted: Counted::Apart {
                    statement: Some(defined.statement),
                    doubted: Vec::new(),
                },
            });
        }
    }

    /// The same of everything of a kind.
    pub(in crate::script) fn doubt_kind(&mut self, kind: EntityKind) {
        self.close_altering();
        let is_defined =
            |(key, slot): &(&EntityKey, &Slot)| key.kind == kind && matches!(slot, Slot::Defined(_));
        let defined = self.overlay.iter().filter(is_defined);
        let defined: Vec<EntityKey> = defined.map(|(key, _)| key.clone()).collect();
        for key in &defined {
            self.doubt(key);
        }
    }

    pub(super) fn alter(&mut self, statement: &Alter, site: Site<'_>, faults: &mut Vec<Diagnostic>) {
        let Some((key, overwritten)) = self.altered_by(statement, site, faults) else {
            return;
        };
        // What is doubted is judged as a whole.
        let is_known = self
            .altered
            .as_ref()
            .is_some_and(|altered| altered.doubt.is_none());
        for overwritten in overwritten.into_iter().filter(|_| is_known) {
            self.long_aside(Aside {
                key: key.clone(),
                trees: overwritten.trees,
                counted: Counted::Within(overwritten.span),
            });
        }
        self.outcome(site.span, Verb::Altered, key);
    }

    /// What a broken ALTER says where it could be read.
    pub(super) fn alter_brokenly(
        &mut self,
        statement: &Alter,
        site: Site<'_>,
        doubted: &[Span],
        faults: &mut Vec<Diagnostic>,
    ) {
        let mut found = Vec::new();
        self.altered_by(statement, site, &mut found);
        // What operations behind such a place find depends on it.
        let first = doubted.first().map_or(site.span.end, |place| place.start);
        faults.extend(found.into_iter().filter(|fault| fault.span.end < first));
        if let Some(altered) = &mut self.altered {
            let doubt = altered.doubt.get_or_insert_default();
            doubt.is_lost = true;
            doubt.places.extend(doubted);
        }
    }

    /// Carries out an ALTER: what it is about, where that exists as far as anybody knows, and what of it is overwritten.
    fn altered_by(
        &mut self,
        statement: &Alter,
        site: Site<'_>,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<(EntityKey, Vec<Overwritten>)> {
        let key = EntityKey::new(model_kind(statement.kind()), statement.name.text.as_str());
        if self.altered.as_ref().is_none_or(|altered| altered.key != key) {
            self.close_altering();
            if !self.exists((&key, statement.name.span), site, faults) {
                return None;
            }
            let Some((altering, doubt)) = self.taken(&key, site.hidden) else {
                self.overlay.insert(key, Slot::Hidden);
                return None;
            };
            self.altered = Some(Altered {
                key: key.clone(),
                statement: site.span.range(),
                altering,
                doubt,
            });
        }
        let altered = self.altered.as_mut()?;
        altered.statement = site.span.range();
        let applied = altered.altering.apply(&statement.operations, site.span);
        let is_lost = altered.doubt.as_ref().is_some_and(|doubt| doubt.is_lost);
        if !applied.refused.is_empty() {
            altered.doubt.get_or_insert_default();
        }
        if !is_lost {
            faults.extend(applied.refused.into_iter().flatten());
        }
        Some((key, applied.overwritten))
    }

    /// What exists under a key, taken out of the overlay, so that it is changed in place; `None` where a fault hides it.
    fn taken(&mut self, key: &EntityKey, hidden: &Unseen) -> Option<(Altering, Option<Doubt>)> {
        let tree = match self.overlay.remove(key) {
            Some(Slot::Defined(defined)) => Some(defined.tree),
            Some(_) => {
                let doubted = self.doubted.remove(key)?;
                return Some((doubted.altering, Some(doubted.doubt)));
            }
            None if hidden.is_named(key) => None,
            None => self
                .stored(key)
                .and_then(|entity| stored::tree(&entity.text).ok()),
        };
        Some((Altering::of(Arc::unwrap_or_clone(tree?)), None))
    }
}

impl From<(EntityKey, Doubted)> for Aside {
    fn from((key, doubted): (EntityKey, Doubted)) -> Aside {
        Aside {
            key,
            trees: vec![Arc::new(doubted.altering.finish())],
            counted: Counted::Apart {
                statement: None,
                doubted: doubted.doubt.places,
            },
        }
    }
}
