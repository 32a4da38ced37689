//! The catalog as a reading statement sees it.
//!
//! Inside of BEGIN it is the candidate so far, which is worked out when it is first looked at: a script that is only
//! checked reads nothing, and judging a transaction once for each of its reads would take the square of its length.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use nspl_syntax::{Spanned, Statement};

use super::transaction::Draft;
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
    pub(super) base: Catalog,
    pub(super) domain: Option<String>,
    pub(super) settings: Settings,
    pub(super) statements: Vec<Spanned<Statement>>,
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
    fn run(&self, count: usize) -> Catalog {
        let mut draft = Draft::new(self.base.clone());
        draft.enter(self.domain.as_deref());
        for statement in self.statements.iter().take(count) {
            draft.replay(statement);
        }
        draft.candidate(&self.settings)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Snapshot(..)")
    }
}
