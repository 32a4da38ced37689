//! The catalog as a reading statement sees it.
//!
//! Inside of BEGIN it is the candidate so far, which is worked out when it is first looked at, since a script that is only
//! checked reads nothing. Reads are carried out in the order of the script, so each goes on from the candidate of the one
//! before: judging all of a transaction for each of its reads would take the square of its length.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nspl_syntax::{Spanned, Statement};

use super::transaction::Draft;
use crate::world::Overlay;
use crate::{Catalog, Settings};

/// A catalog that may still have to be worked out. Only that of a script without errors says what the script meant.
#[derive(Clone)]
pub struct Snapshot(Arc<Inner>);

struct Inner {
    catalog: OnceLock<Catalog>,
    /// The transaction, and how many of its statements precede the read.
    before: Option<(Arc<Replay>, usize)>,
}

/// What it takes to judge the first statements of a transaction again.
pub(super) struct Replay {
    base: Catalog,
    domain: Option<String>,
    settings: Settings,
    statements: Vec<Spanned<Statement>>,
    reached: Mutex<Reached>,
}

/// How far a transaction has been judged again.
struct Reached {
    count: usize,
    /// The candidate behind so many statements.
    candidate: Catalog,
    /// What that does not hold as it was meant to be: what it refers to may come with later statements.
    pending: Overlay,
}

impl Snapshot {
    /// The candidate after the first `count` statements.
    pub(super) fn after(replay: Arc<Replay>, count: usize) -> Snapshot {
        Snapshot(Arc::new(Inner {
            catalog: OnceLock::new(),
            before: Some((replay, count)),
        }))
    }
}

impl From<Catalog> for Snapshot {
    fn from(catalog: Catalog) -> Snapshot {
        Snapshot(Arc::new(Inner {
            catalog: catalog.into(),
            before: None,
        }))
    }
}

impl Deref for Snapshot {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        let Inner { catalog, before } = &*self.0;
        catalog.get_or_init(|| match before {
            Some((replay, count)) => replay.run(*count),
            None => Catalog::default(),
        })
    }
}

impl Replay {
    pub(super) fn new(
        base: Catalog,
        domain: Option<String>,
        settings: Settings,
        statements: Vec<Spanned<Statement>>,
    ) -> Replay {
        let reached = Mutex::new(Reached::begin(&base));
        Replay {
            base,
            domain,
            settings,
            statements,
            reached,
        }
    }

    fn run(&self, count: usize) -> Catalog {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if reached.count > count {
            *reached = Reached::begin(&self.base);
        }
        let statements = self.statements.get(reached.count..count).unwrap_or_default();
        if !statements.is_empty() {
            let pending = std::mem::take(&mut reached.pending);
            let mut draft = Draft::going_on(reached.candidate.clone(), pending);
            draft.enter(self.domain.as_deref());
            for statement in statements {
                draft.replay(statement);
            }
            let (candidate, pending) = draft.candidate(&self.settings);
            *reached = Reached {
                count,
                candidate,
                pending,
            };
        }
        reached.candidate.clone()
    }
}

impl Reached {
    fn begin(base: &Catalog) -> Reached {
        Reached {
            count: 0,
            candidate: base.clone(),
            pending: Overlay::new(),
        }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Snapshot(..)")
    }
}
