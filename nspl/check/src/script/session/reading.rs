//! Reading statements: SHOW and DESCRIBE. Inside of BEGIN they read the candidate, which they are given at its end.

use nspl_model::{EntityKey, EntityKind};
use nspl_syntax::Span;
use nspl_syntax::show::{Describe, Show};

use super::Session;
use crate::rules;
use crate::script::model_kind;
use crate::world::{Overlay, suggestion};
use crate::{Action, Read};

impl Session<'_> {
    pub(super) fn show(&mut self, show: &Show, span: Span) {
        let read = match show {
            Show::ClusterStatus => return self.read(None, Read::ClusterStatus, span),
            Show::List(kind) if model_kind(*kind) == EntityKind::Domain => {
                return self.read(None, Read::List(EntityKind::Domain), span);
            }
            Show::List(kind) => Read::List(model_kind(*kind)),
            Show::Create(target) => {
                let key = EntityKey::new(model_kind(target.kind), target.name.text.as_str());
                return self.read_entity(key, target.name.span, span, Read::ShowCreate);
            }
        };
        if let Some(domain) = self.needed_domain(span) {
            self.read(Some(domain), read, span);
        }
    }

    pub(super) fn describe(&mut self, describe: &Describe, span: Span) {
        match describe {
            Describe::Domain(Some(name)) => {
                let key = EntityKey::new(EntityKind::Domain, name.text.as_str());
                self.read_entity(key, name.span, span, Read::Describe);
            }
            Describe::Domain(None) => {
                if let Some(domain) = self.needed_domain(span) {
                    self.read(Some(domain), Read::DescribeDomain, span);
                }
            }
            Describe::Entity(target) => {
                let key = EntityKey::new(model_kind(target.kind), target.name.text.as_str());
                self.read_entity(key, target.name.span, span, Read::Describe);
            }
        }
    }

    fn read_entity(&mut self, key: EntityKey, place: Span, span: Span, read: impl FnOnce(EntityKey) -> Read) {
        let domain = match key.kind {
            EntityKind::Domain => key.name.to_string(),
            _ => match self.needed_domain(span) {
                Some(domain) => domain,
                None => return,
            },
        };
        if self.exists(&domain, &key) {
            self.read(Some(domain), read(key), span);
        } else {
            let none = Overlay::new();
            let overlay = self.open.as_ref().map_or(&none, |(_, draft)| draft.overlay());
            let known = suggestion(&self.catalog, &domain, overlay, &key, self.faults.len());
            let domain = (key.kind != EntityKind::Domain).then_some(domain.as_str());
            self.faults
                .push(rules::unknown_entity::fault(place, &key, domain, known));
        }
    }

    fn read(&mut self, domain: Option<String>, read: Read, span: Span) {
        if let Some((_, draft)) = &mut self.open {
            draft.read_by(self.steps.len());
        }
        let catalog = self.catalog.clone().into();
        self.step(
            span,
            Action::Read {
                domain,
                read,
                catalog,
            },
        );
    }
}
