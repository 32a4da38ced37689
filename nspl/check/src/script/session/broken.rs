//! Broken statements: they are judged for what they say where they could be read, and nothing comes of them but what they
//! were probably meant to do.

use nspl_model::{EntityKey, EntityKind};
use nspl_syntax::{Span, Spanned, Statement};

use super::{Session, Setting};
use crate::script::broken::Guess;
use crate::script::transaction::{Counted, Draft};
use crate::world::Surroundings;

impl Session<'_> {
    /// A broken statement, judged for what it says where it could be read.
    pub(super) fn broken(&mut self, broken: &nspl_syntax::Broken, tree: &Statement) {
        if !matches!(
            tree,
            Statement::Create(_) | Statement::Drop(_) | Statement::Alter(_)
        ) {
            return self.broken_alone(broken, tree);
        }
        let domain = match &self.domain {
            Setting::Named(name) if self.catalog.domain(name).is_some() => Some(name.clone()),
            _ => None,
        };
        let mut alone = None;
        let (_, draft) = match self.open.as_mut().or(self.row.as_mut()) {
            Some(open) => open,
            None => alone.insert((broken.span, Draft::new(self.catalog.clone()))),
        };
        draft.enter(domain.as_deref());
        draft.broken((broken, tree), &self.hidden, &mut self.faults);
        if let Some((_, draft)) = alone {
            let surroundings = Surroundings {
                settings: &self.settings,
                is_wanted: self.is_wanted,
            };
            draft.judge_all(surroundings, &mut self.faults, &mut self.hidden, &mut self.trees);
        }
    }

    /// What a broken statement was probably meant to do, so that nothing is said about what follows from its fault.
    pub(super) fn guessed(&mut self, guess: &Guess, span: Span) {
        let is_model = match guess {
            Guess::Model(_) | Guess::Named(_) | Guess::KnownOf(_) | Guess::KnownNamed(_) => true,
            Guess::CreateOf(kind) => *kind != EntityKind::Domain,
            Guess::Upload | Guess::Word | Guess::Begin | Guess::End | Guess::Domain(_) => false,
        };
        if !is_model {
            self.end_row();
        }
        match guess {
            Guess::Model(key) => self.doubt(key.clone()),
            Guess::CreateOf(kind) => {
                if *kind == EntityKind::Domain {
                    self.domain = Setting::Hidden;
                }
                self.hidden.add_kind(*kind);
            }
            Guess::KnownOf(kind) => {
                for (_, draft) in self.open.iter_mut().chain(&mut self.row) {
                    draft.doubt_kind(*kind);
                }
            }
            Guess::Named(name) => {
                for kind in EntityKind::ALL {
                    self.doubt(EntityKey::new(kind, name.as_str()));
                }
            }
            Guess::KnownNamed(name) => {
                for kind in EntityKind::ALL {
                    let key = EntityKey::new(kind, name.as_str());
                    let drafts = self.open.iter_mut().chain(&mut self.row);
                    let known = drafts.filter(|(_, draft)| draft.exists_so_far(&key) == Some(true));
                    known.for_each(|(_, draft)| draft.doubt(&key));
                }
            }
            // Which versions there are is not known any more.
            Guess::Upload => self.settings.resources = None,
            Guess::Word => self.is_lost = true,
            Guess::Begin if self.open.is_none() => {
                self.open = Some((span, Draft::new(self.catalog.clone())));
            }
            Guess::Begin => {}
            Guess::End => self.commit(span),
            Guess::Domain(made) => {
                self.domain = Setting::Hidden;
                if let Some(made) = made {
                    self.hidden.add(made.clone());
                }
            }
        }
    }

    /// Nothing is said of what it may be now.
    fn doubt(&mut self, key: EntityKey) {
        for (_, draft) in self.open.iter_mut().chain(&mut self.row) {
            draft.doubt(&key);
        }
        self.hidden.add(key);
    }

    /// One that is not about definitions of a domain. What changes the session is left to [`Self::guessed`].
    fn broken_alone(&mut self, broken: &nspl_syntax::Broken, tree: &Statement) {
        if !matches!(
            tree,
            Statement::Show(_) | Statement::Describe(_) | Statement::Start(_) | Statement::Use(_)
        ) {
            return;
        }
        let (domain, faults, steps) = (self.domain.clone(), self.faults.len(), self.steps.len());
        self.other(&Spanned::new(tree.clone(), broken.span));
        self.domain = domain;
        self.steps.truncate(steps);
        let counted = Counted::of(broken);
        let found = self.faults.split_off(faults);
        self.faults
            .extend(found.into_iter().filter(|fault| counted.counts(fault)));
    }
}
