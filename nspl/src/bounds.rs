//! How much is said about one script.

use nspl_check::{Diagnostic, Severity};
use nspl_syntax::fault::code::TOO_MANY_FAULTS;

/// The diagnostics listed for one script; the rest is counted.
pub const DIAGNOSTICS_MAX: usize = 1_000;

/// The characters of one message, label or help; names that are quoted have bounds of their own, lists of them do not.
const MESSAGE_CHARS_MAX: usize = 2_000;

/// Cuts diagnostics, in source order, to what is worth reading. Whether one of them is an error stays as it is.
pub(crate) fn bounded(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let refused = diagnostics.iter().any(|found| found.severity == Severity::Error);
    if diagnostics.len() > DIAGNOSTICS_MAX && !is_counted(&diagnostics) {
        let more = diagnostics.len() - DIAGNOSTICS_MAX;
        diagnostics.truncate(DIAGNOSTICS_MAX);
        let place = diagnostics
            .last()
            .map(|found| found.span.clone())
            .unwrap_or_default();
        let message = format!("{more} more diagnostics are not listed");
        diagnostics.push(match refused {
            true => Diagnostic::error(TOO_MANY_FAULTS, place, message),
            false => Diagnostic::warning(TOO_MANY_FAULTS, place, message),
        });
    }
    for found in &mut diagnostics {
        shorten(&mut found.message);
        found
            .labels
            .iter_mut()
            .for_each(|label| shorten(&mut label.message));
        found.help.iter_mut().for_each(shorten);
    }
    diagnostics
}

/// Whether the reader of the script has counted its faults already, and there is nothing else.
fn is_counted(diagnostics: &[Diagnostic]) -> bool {
    let rest = diagnostics.len() - DIAGNOSTICS_MAX;
    rest == 1 && diagnostics.iter().any(|found| found.code == TOO_MANY_FAULTS)
}

fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MESSAGE_CHARS_MAX) {
        text.truncate(end);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::{DIAGNOSTICS_MAX, MESSAGE_CHARS_MAX, bounded};
    use nspl_check::{Diagnostic, Severity};

    #[test]
    fn long_messages_are_cut_and_a_refusal_past_the_bound_stays_one() {
        let mut found: Vec<Diagnostic> = (0..DIAGNOSTICS_MAX)
            .map(|at| Diagnostic::warning("W1001", at..at, "ä".repeat(MESSAGE_CHARS_MAX + 1)))
            .collect();
        assert_eq!(bounded(found.clone()).len(), DIAGNOSTICS_MAX);
        found.push(Diagnostic::error("E1001", 5_000..5_000, "wrong"));
        let cut = bounded(found);
        assert_eq!(cut.len(), DIAGNOSTICS_MAX + 1);
        assert_eq!(cut[0].message.chars().count(), MESSAGE_CHARS_MAX + 1);
        assert_eq!(cut[DIAGNOSTICS_MAX].severity, Severity::Error);
        assert_eq!(cut[DIAGNOSTICS_MAX].message, "1 more diagnostics are not listed");
    }
}
