//! DOMAIN.

use std::sync::Arc;

use nspl_model::{DomainDef, Pacing};
use nspl_syntax::domain as tree;

use crate::Diagnostic;
use crate::quantity::duration;

/// Judges a domain, which refers to nothing.
pub(crate) fn domain(tree: &tree::Domain, faults: &mut Vec<Diagnostic>) -> Option<Arc<DomainDef>> {
    let pacing = match &tree.pacing {
        tree::Pacing::Unpaced => Pacing::Unpaced,
        tree::Pacing::Paced { period, skew } => {
            let period = duration(period, "PERIOD", faults);
            let skew = duration(skew, "SKEW", faults);
            Pacing::Paced {
                period: period?,
                skew: skew?,
            }
        }
    };
    Some(Arc::new(DomainDef {
        name: tree.name.text.clone(),
        pacing,
    }))
}
