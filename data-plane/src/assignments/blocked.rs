//! Which ways in must stay closed because an emitter that their rows wait for does not run.
//!
//! Invariant: rows of a relay whose ATTACHED emitter is missing would be answered DONE without it, so nothing may enter
//! that can reach such a relay, also by way of error relays. A pure judgement: it closes nothing.

use std::{collections::BTreeMap, sync::Arc};

use nspl_model::{Attachment, EmitterDef, IngestorDef};

use super::dynamic::error_relay_of;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Blocked {
    /// Why nothing may enter the domain at all.
    everything: Option<String>,
    /// Why nothing may reach a relay, by its name.
    relays: BTreeMap<String, String>,
}

impl Blocked {
    /// `unreadable` names an assigned emitter whose definition is not known; `broken` says why emitters cannot run.
    pub(crate) fn by(
        unreadable: Option<&Arc<str>>,
        broken: &BTreeMap<Arc<str>, String>,
        emitters: &[&EmitterDef],
    ) -> Self {
        let everything = unreadable.map(|name| {
            format!("EMITTER {name} cannot be read, so that it is not known which relays it attaches to")
        });
        let attached: Vec<&EmitterDef> = emitters
            .iter()
            .copied()
            .filter(|def| def.attachment == Attachment::Attached)
            .collect();
        let mut relays = BTreeMap::new();
        for def in &attached {
            if let Some(why) = broken.get(def.name.as_str()) {
                for source in &def.sources {
                    relays.insert(
                        source.relay.name.clone(),
                        format!(
                            "EMITTER {} is attached to relay {} and does not run: {why}",
                            def.name, source.relay.name
                        ),
                    );
                }
            }
        }
        // Each round reaches at least one emitter more, or ends.
        for _ in &attached {
            let before = relays.len();
            for def in &attached {
                let why =
                    error_relay_of(&def.on_message_error).and_then(|relay| relays.get(&relay.name).cloned());
                for source in def.sources.iter().filter(|_| why.is_some()) {
                    relays
                        .entry(source.relay.name.clone())
                        .or_insert_with(|| why.clone().unwrap_or_default());
                }
            }
            if relays.len() == before {
                break;
            }
        }
        Self { everything, relays }
    }

    /// Why `def` may not let anything in.
    pub(crate) fn reason(&self, def: &IngestorDef) -> Option<&String> {
        let reached = def.routes.iter().flat_map(|route| {
            let errors = error_relay_of(&route.on_message_error);
            std::iter::once(&route.relay).chain(errors)
        });
        self.everything
            .as_ref()
            .or_else(|| reached.into_iter().find_map(|relay| self.relays.get(&relay.name)))
    }
}
