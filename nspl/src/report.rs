//! What became of a script.

use std::sync::Arc;

use nspl_check::{Catalog, Diagnostic, Plan, Resources, Settings, Severity, check_script_while};

use crate::Folders;
use crate::bounds::bounded;
use crate::shown::hushed;

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
    check_while(text, settings, catalog, &|| true).unwrap_or_default()
}

/// Judges a script as [`check_with`] does, and asks before each statement, when it is read and when it is judged, and
/// before whatever costs much, whether anybody still waits for it; `None` as soon as nobody does. Who once said no says
/// it again.
pub fn check_while(
    text: &str,
    settings: &Settings,
    catalog: &Catalog,
    is_wanted: &dyn Fn() -> bool,
) -> Option<Report> {
    let parsed = nspl_syntax::parse_while(text, is_wanted)?;
    let checked = check_script_while(&parsed, text, (settings, catalog), is_wanted)?;
    Some(Report {
        plan: checked.plan,
        diagnostics: bounded(hushed(checked.diagnostics, text)),
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use nspl_check::{Catalog, Settings};

    use super::check_while;
    use crate::{Colour, format, render};

    #[test]
    fn nothing_of_a_secret_without_quotes_is_named() {
        for secret in ["ab;hush-ef", "ab;DROP EMITTER hush", "ab}hush;hush", "hush;ef"] {
            for end in [", 'addr' = 'nats://h:1'};", "\n};", ""] {
                let script = format!("CREATE CLIENT c TYPE NATS CONFIG {{'password' = {secret}{end}");
                let report = check_while(&script, &Settings::default(), &Catalog::default(), &|| true);
                let report = report.unwrap_or_default();
                let formatted = format(&script).err().unwrap_or_default();
                assert!(report.is_refused() && !formatted.is_empty());
                for found in report.diagnostics.iter().chain(&formatted) {
                    let shown = render(found, "a.nspl", &script, Colour::Never);
                    assert!(!shown.contains("hush"), "{shown}");
                    assert!(!format!("{found:?}").contains("hush"), "{found:?}");
                }
            }
        }
    }

    #[test]
    fn a_script_that_nobody_waits_for_is_left_between_two_statements() {
        let script = "CREATE DOMAIN a; CREATE DOMAIN b; CREATE DOMAIN c;";
        let judged = |questions: usize| {
            let left = Cell::new(questions);
            let is_wanted = || left.replace(left.get().saturating_sub(1)) > 0;
            let report = check_while(script, &Settings::default(), &Catalog::default(), &is_wanted);
            report.map(|report| report.plan.steps.len())
        };
        // One question before each statement is read, one before each is judged, and one at the end.
        for questions in 0..7 {
            assert_eq!(judged(questions), None, "{questions}");
        }
        assert_eq!(judged(7), Some(3));
    }
}
