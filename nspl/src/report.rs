//! What became of a script.

use std::sync::Arc;

use nspl_check::{Catalog, Diagnostic, Plan, Resources, Settings, Severity, check_script};

use crate::Folders;
use crate::bounds::bounded;

/// The plan of a script, and everything that was found about it, in source order.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What to do; to be carried out only when [`Report::is_refused`] is false.
    pub plan: Plan,
    /// Errors and warnings, in source order, each once; at most [`crate::DIAGNOSTICS_MAX`] and one or two that count
    /// the rest.
    pub diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Whether any diagnostic is an error.
    pub fn is_refused(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Judges a script as `check` does: every kind of sink and source is accepted, whether a worker has it or not. `file` is
/// where the text is from: folders of UPLOAD RESOURCE are relative to it, and are read when a codec needs their files.
pub fn check(file: &str, text: &str, domain: Option<&str>, catalog: &Catalog) -> Report {
    let resources = Resources::new(Arc::new(Folders::beside(file)));
    check_uploaded(file, text, domain, (catalog, resources))
}

/// Judges a script as `check` does, over a catalog and what was uploaded before it.
pub(crate) fn check_uploaded(
    file: &str,
    text: &str,
    domain: Option<&str>,
    (catalog, resources): (&Catalog, Resources),
) -> Report {
    let settings = Settings {
        resources: Some(resources),
        ..Settings::in_domain(domain)
    };
    check_with(file, text, &settings, catalog)
}

/// Judges a script in its surroundings, as `apply` does. `file` is where the text is from, for the reader alone.
pub fn check_with(file: &str, text: &str, settings: &Settings, catalog: &Catalog) -> Report {
    let _ = file;
    let checked = check_script(&nspl_syntax::parse(text), text, settings, catalog);
    Report {
        plan: checked.plan,
        diagnostics: bounded(checked.diagnostics),
    }
}
