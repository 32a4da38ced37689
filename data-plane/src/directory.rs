//! What applications can find on this node: the ways into ingestors and the ways out of emitters.
//!
//! Invariant: an entry stands for a name, not for an incarnation; it is replaced only when its schema changes.
//! Reading never waits for an assignment that is being applied.

use std::{collections::BTreeMap, sync::Arc};

use arrow::datatypes::SchemaRef;
use nervix_emitter::{EmitterCounters, EmitterHandle};
use nervix_sink_client::Exchange;
use nervix_source_client::Inlet;
use parking_lot::{Mutex, RwLock};

use crate::relays::DomainRelays;

/// The handle of whichever incarnation of an emitter runs.
pub(crate) type HandleSlot = Arc<Mutex<Option<EmitterHandle>>>;

/// The way out of one emitter.
#[derive(Clone)]
pub(crate) struct Outlet {
    /// The columns of its records: what consumers receive.
    pub(crate) arrow: SchemaRef,
    /// Where consumers and the emitter meet; none where it delivers to a destination outside.
    pub(crate) exchange: Option<Exchange>,
    /// What is counted of the emitter, over all incarnations.
    pub(crate) counters: Arc<EmitterCounters>,
    /// The incarnation that runs.
    pub(crate) handle: HandleSlot,
}

/// A domain and the name of an entity in it.
pub(crate) type Place = (Arc<str>, Arc<str>);

/// What a descriptor leads to.
#[derive(Clone)]
pub(crate) enum Entry {
    /// A way in.
    Ingestor(Arc<Inlet>),
    /// A way out.
    Emitter(Outlet),
}

impl Entry {
    /// The exact Arrow schema of the entity's stream.
    pub(crate) fn arrow_schema(&self) -> &SchemaRef {
        match self {
            Self::Ingestor(inlet) => inlet.arrow_schema(),
            Self::Emitter(outlet) => &outlet.arrow,
        }
    }

    /// Whether applications come for it, so that Flight knows it.
    pub(crate) fn is_for_applications(&self) -> bool {
        match self {
            Self::Ingestor(_) => true,
            Self::Emitter(outlet) => outlet.exchange.is_some(),
        }
    }

    /// The word of the descriptor's path.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Ingestor(_) => "ingestor",
            Self::Emitter(_) => "emitter",
        }
    }
}

/// What a name of a domain stands for on this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A way in.
    Ingestor,
    /// A way out for applications.
    Emitter,
    /// An emitter to a destination outside.
    Outside,
    /// A relay of a running domain.
    Relay,
}

#[derive(Default)]
struct Book {
    /// With the relays of its run, while it runs.
    domains: BTreeMap<Arc<str>, Option<Arc<DomainRelays>>>,
    inlets: BTreeMap<Place, Arc<Inlet>>,
    outlets: BTreeMap<Place, Outlet>,
    draining: bool,
    /// Whether a first assignment is carried out, so that what is not here is nowhere or elsewhere.
    assigned: bool,
    /// Where the graph is executed while it is not here, as host:port.
    elsewhere: Option<Arc<str>>,
}

/// Looked up by Flight, written by the assignments; clones share everything.
#[derive(Clone, Default)]
pub(crate) struct Directory {
    book: Arc<RwLock<Book>>,
}

impl Directory {
    /// Names a domain, with the relays of its run while it runs.
    pub(crate) fn set_domain(&self, domain: &str, run: Option<Arc<DomainRelays>>) {
        self.book.write().domains.insert(domain.into(), run);
    }

    pub(crate) fn remove_domain(&self, domain: &str) {
        self.book.write().domains.remove(domain);
    }

    pub(crate) fn knows_domain(&self, domain: &str) -> bool {
        self.book.read().domains.contains_key(domain)
    }

    /// The relays of every running domain.
    pub(crate) fn runs(&self) -> Vec<(Arc<str>, Arc<DomainRelays>)> {
        let book = self.book.read();
        let runs = book
            .domains
            .iter()
            .filter_map(|(domain, run)| Some((Arc::clone(domain), run.clone()?)));
        runs.collect()
    }

    pub(crate) fn add_inlet(&self, domain: &str, name: &str, inlet: Arc<Inlet>) {
        self.book
            .write()
            .inlets
            .insert((domain.into(), name.into()), inlet);
    }

    pub(crate) fn remove_inlet(&self, domain: &str, name: &str) {
        self.book.write().inlets.remove(&(domain.into(), name.into()));
    }

    pub(crate) fn inlet(&self, domain: &str, name: &str) -> Option<Arc<Inlet>> {
        self.book
            .read()
            .inlets
            .get(&(domain.into(), name.into()))
            .cloned()
    }

    pub(crate) fn add_outlet(&self, domain: &str, name: &str, outlet: Outlet) {
        self.book
            .write()
            .outlets
            .insert((domain.into(), name.into()), outlet);
    }

    pub(crate) fn remove_outlet(&self, domain: &str, name: &str) {
        self.book.write().outlets.remove(&(domain.into(), name.into()));
    }

    /// The outlet of an emitter that has consumers.
    pub(crate) fn outlet(&self, domain: &str, name: &str) -> Option<Outlet> {
        self.book
            .read()
            .outlets
            .get(&(domain.into(), name.into()))
            .filter(|outlet| outlet.exchange.is_some())
            .cloned()
    }

    /// Everything that goes by `name` in `domain` on this node.
    pub(crate) fn named(&self, domain: &str, name: &str) -> Vec<Named> {
        let book = self.book.read();
        let place: Place = (domain.into(), name.into());
        let emitter = book.outlets.get(&place).map(|outlet| match outlet.exchange {
            Some(_) => Named::Emitter,
            None => Named::Outside,
        });
        let ingestor = book.inlets.contains_key(&place).then_some(Named::Ingestor);
        let run = book.domains.get(domain).cloned().flatten();
        drop(book);
        let relay = run.and_then(|run| run.find(name)).map(|_relay| Named::Relay);
        emitter.into_iter().chain(ingestor).chain(relay).collect()
    }

    /// Every entry of `domain`, or of all domains, in the order of kind, domain and name.
    pub(crate) fn list(&self, domain: Option<&str>) -> Vec<(Place, Entry)> {
        let book = self.book.read();
        let wanted = |place: &Place| domain.is_none_or(|domain| *place.0 == *domain);
        let inlets = book
            .inlets
            .iter()
            .map(|(place, inlet)| (place, Entry::Ingestor(Arc::clone(inlet))));
        let outlets = book
            .outlets
            .iter()
            .map(|(place, outlet)| (place, Entry::Emitter(outlet.clone())));
        let all = inlets.chain(outlets).filter(|(place, _)| wanted(place));
        all.map(|(place, entry)| (place.clone(), entry)).collect()
    }

    /// Says where the graph is executed, as host:port, while it is not here.
    pub(crate) fn set_elsewhere(&self, location: Option<Arc<str>>) {
        self.book.write().elsewhere = location;
    }

    /// Where whoever looks for an entity that is not here may find it.
    pub(crate) fn elsewhere(&self) -> Option<Arc<str>> {
        self.book.read().elsewhere.clone()
    }

    /// A first assignment is carried out.
    pub(crate) fn set_assigned(&self) {
        self.book.write().assigned = true;
    }

    /// Whether this node knows what it is to run.
    pub(crate) fn is_assigned(&self) -> bool {
        self.book.read().assigned
    }

    /// From now on new streams are refused.
    pub(crate) fn begin_drain(&self) {
        self.book.write().draining = true;
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.book.read().draining
    }
}
