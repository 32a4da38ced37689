//! What a name means while a transaction is judged: the stored catalog under the transaction's own changes.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use nspl_model::{Definition, EntityKey, EntityKind};
use nspl_syntax::entity::Entity as Tree;

use crate::constant::pattern::Patterns;
use crate::descriptors::Descriptors;
use crate::nearest::{nearest, some_of};
use crate::{Catalog, Settings};

/// Suggestions cost a walk over the catalog; a script with more faults than this gets no more of them.
const SUGGESTIONS_MAX: u32 = 32;

/// What a transaction says about one name so far.
#[derive(Clone)]
pub(crate) enum Slot {
    /// It is, or will be, this.
    Defined(Defined),
    /// It was dropped by the statement at this place.
    Dropped(Range<usize>),
    /// A broken statement may define it.
    Hidden,
}

/// A definition of this transaction.
#[derive(Clone)]
pub(crate) struct Defined {
    /// Parts that ALTER left alone have the spans of stored text ([`crate::stored::in_script`]).
    pub(crate) tree: Arc<Tree>,
    /// The statement that says so.
    pub(crate) statement: Range<usize>,
}

pub(crate) type Overlay = BTreeMap<EntityKey, Slot>;

/// What a judgement goes by, besides the catalog and what is said.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) settings: &'a Settings,
    /// Whether anybody waits for it; asked before what costs much. Once nobody does, nobody will, and what is found counts
    /// for nothing.
    pub(crate) is_wanted: &'a dyn Fn() -> bool,
}

impl<'a> Surroundings<'a> {
    /// Of a judgement that is carried through.
    pub(crate) fn of(settings: &'a Settings) -> Surroundings<'a> {
        Surroundings {
            settings,
            is_wanted: &|| true,
        }
    }
}

/// What broken statements may say, and what was refused.
#[derive(Default)]
pub(crate) struct Unseen {
    keys: BTreeSet<EntityKey>,
    /// Kinds of which some name could not be read.
    kinds: Vec<EntityKind>,
}

impl Unseen {
    /// Whether it may be there though nothing that could be read says so.
    pub(crate) fn contains(&self, key: &EntityKey) -> bool {
        self.is_named(key) || self.kinds.contains(&key.kind)
    }

    /// Whether something is said of it that could not be read, or was refused.
    pub(crate) fn is_named(&self, key: &EntityKey) -> bool {
        self.keys.contains(key)
    }

    pub(crate) fn add(&mut self, key: EntityKey) {
        self.keys.insert(key);
    }

    /// What has no name any more.
    pub(crate) fn add_kind(&mut self, kind: EntityKind) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    /// It is seen again; whether it was not.
    pub(crate) fn remove(&mut self, key: &EntityKey) -> bool {
        self.keys.remove(key)
    }
}

/// What faults elsewhere hide, so that nothing is said about it.
#[derive(Clone, Copy)]
pub(crate) struct Hidden<'a> {
    /// The domain itself is not known, so nothing is missing.
    pub(crate) domain: bool,
    /// What broken statements may define, and what was refused; the transaction's own statements go first.
    pub(crate) unseen: &'a Unseen,
}

impl Hidden<'static> {
    /// Nothing is.
    pub(crate) const NOTHING: Hidden<'static> = Hidden {
        domain: false,
        unseen: &Unseen {
            keys: BTreeSet::new(),
            kinds: Vec::new(),
        },
    };
}

/// What is to be seen under a name.
pub(crate) enum Sight {
    Known(Definition),
    /// It has a fault of its own.
    Hidden,
    Missing {
        dropped: Option<Range<usize>>,
    },
}

/// The world of one transaction while it is judged.
pub(crate) struct World<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) domain: &'a str,
    pub(crate) overlay: &'a Overlay,
    /// What has been judged already; `None`: it has a fault.
    pub(crate) resolved: HashMap<EntityKey, Option<Definition>>,
    pub(crate) settings: &'a Settings,
    pub(crate) is_wanted: &'a dyn Fn() -> bool,
    pub(crate) hidden: Hidden<'a>,
    pub(crate) suggestions: Cell<u32>,
    pub(crate) descriptors: Descriptors,
}

impl<'a> World<'a> {
    pub(crate) fn new(
        catalog: &'a Catalog,
        domain: &'a str,
        overlay: &'a Overlay,
        surroundings: Surroundings<'a>,
        hidden: Hidden<'a>,
    ) -> World<'a> {
        World {
            catalog,
            domain,
            overlay,
            resolved: HashMap::new(),
            settings: surroundings.settings,
            is_wanted: surroundings.is_wanted,
            hidden,
            suggestions: Cell::new(SUGGESTIONS_MAX),
            descriptors: Descriptors::default(),
        }
    }

    pub(crate) fn domain(&self) -> &str {
        self.domain
    }

    pub(crate) fn sight(&self, key: &EntityKey) -> Sight {
        if let Some(resolved) = self.resolved.get(key) {
            return resolved.clone().map_or(Sight::Hidden, Sight::Known);
        }
        match self.overlay.get(key) {
            Some(Slot::Dropped(place)) => Sight::Missing {
                dropped: Some(place.clone()),
            },
            // Defined ones are judged before their users, so this one is hidden or waits for something that is.
            Some(Slot::Hidden | Slot::Defined(_)) => Sight::Hidden,
            None if self.hidden.unseen.is_named(key) => Sight::Hidden,
            None => match self.catalog.get(self.domain, key) {
                Some(entity) => Sight::Known(entity.definition.clone()),
                None if self.hidden.domain || self.hidden.unseen.contains(key) => Sight::Hidden,
                None => Sight::Missing { dropped: None },
            },
        }
    }

    /// Whether the script says something about it, be it broken.
    pub(crate) fn touches(&self, key: &EntityKey) -> bool {
        self.overlay.contains_key(key) || self.hidden.unseen.is_named(key)
    }

    /// How constant patterns are judged.
    pub(crate) fn patterns(&self) -> Patterns<'a> {
        if self.settings.restoring {
            Patterns::Committed
        } else {
            Patterns::While(self.is_wanted)
        }
    }

    /// A known name of a kind that is close to what was written.
    pub(crate) fn nearest(&self, kind: EntityKind, written: &str) -> Option<String> {
        self.suggestions.set(self.suggestions.get().checked_sub(1)?);
        known_name(
            self.catalog,
            self.domain,
            self.overlay,
            &EntityKey::new(kind, written),
        )
    }

    /// Whether some worker runs this kind; what is stored already is not judged again.
    pub(crate) fn can_run(&self, owner: &EntityKey, kind: &str) -> bool {
        let known = self.settings.kinds.as_ref();
        known.is_none_or(|kinds| {
            !self.is_new(owner) || kinds.iter().any(|known| known.eq_ignore_ascii_case(kind))
        })
    }

    /// The node that would execute what is defined.
    pub(crate) fn node(&self) -> Option<&str> {
        self.settings.node.as_deref()
    }

    /// Where this transaction defines an entity.
    pub(crate) fn statement(&self, key: &EntityKey) -> Option<Range<usize>> {
        match self.overlay.get(key) {
            Some(Slot::Defined(defined)) => Some(defined.statement.clone()),
            _ => None,
        }
    }

    /// The bound of Flight messages, for what this transaction defines.
    pub(crate) fn flight_message_max(&self, owner: &EntityKey) -> Option<u64> {
        self.settings.flight_message_max.filter(|_| self.is_new(owner))
    }

    /// Whether this transaction defines an entity, and it is not read back from a store.
    pub(crate) fn is_fresh(&self, owner: &EntityKey) -> bool {
        self.is_new(owner) && !self.settings.restoring
    }

    fn is_new(&self, owner: &EntityKey) -> bool {
        matches!(self.overlay.get(owner), Some(Slot::Defined(_)))
    }
}

/// What a fault says of the names that there are: one that is close to that of the key, else the first few; a script with
/// many faults already gets no more of it.
pub(crate) fn suggestion(
    catalog: &Catalog,
    domain: &str,
    overlay: &Overlay,
    key: &EntityKey,
    faults: usize,
) -> Option<String> {
    if faults >= SUGGESTIONS_MAX as usize {
        return None;
    }
    of_known_names(catalog, domain, overlay, key, |known| {
        match nearest(&key.name, known.iter().copied()) {
            Some(near) => Some(format!("{} {near} exists", key.kind)),
            None => {
                some_of(known.iter().copied()).map(|some| format!("{} there are: {some}", key.kind.plural()))
            }
        }
    })
}

fn known_name(catalog: &Catalog, domain: &str, overlay: &Overlay, key: &EntityKey) -> Option<String> {
    let near = |known: &[&str]| nearest(&key.name, known.iter().copied()).map(str::to_owned);
    of_known_names(catalog, domain, overlay, key, near)
}

/// What is said of the names of the key's kind.
fn of_known_names(
    catalog: &Catalog,
    domain: &str,
    overlay: &Overlay,
    key: &EntityKey,
    say: impl FnOnce(&[&str]) -> Option<String>,
) -> Option<String> {
    let stored = catalog.list(domain, key.kind);
    let gone = |name: &str| {
        matches!(
            overlay.get(&EntityKey::new(key.kind, name)),
            Some(Slot::Dropped(_))
        )
    };
    let stored = stored
        .iter()
        .map(|entity| &*entity.key.name)
        .filter(|name| !gone(name));
    let fresh = overlay
        .iter()
        .filter(|(other, slot)| other.kind == key.kind && matches!(slot, Slot::Defined(_)));
    let fresh = fresh.map(|(other, _)| &*other.name);
    let known: Vec<&str> = stored.chain(fresh).collect();
    say(&known)
}
