//! Which scenarios of the conformance suite a kind has to pass, by its capabilities: the same for a real destination and
//! for one in memory.

use std::collections::BTreeSet;

use nspl_model::{Capabilities, ModeForm, Presence, Shape, SinkKind};

/// A scope of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The destination answers for what it took, so that an unknown outcome is kept.
    Confirming,
    /// It can refuse a record for good.
    Refusing,
    /// It has a limit on what it takes.
    Sized,
}

impl Scope {
    /// Every scope with its word in `conformance!`.
    const ALL: [(Scope, &'static str); 3] = [
        (Scope::Confirming, "confirming"),
        (Scope::Refusing, "refusing"),
        (Scope::Sized, "sized"),
    ];

    /// Whether a destination of these capabilities has to pass the scope; `None` where only the destination knows.
    fn applies(self, can: &Capabilities) -> Option<bool> {
        match self {
            Scope::Confirming => Some(can.modes.iter().any(|mode| {
                mode.timeout == Presence::Required || !matches!(mode.form, ModeForm::NoAck | ModeForm::Qos0)
            })),
            Scope::Refusing => match can.shape {
                Shape::Rows | Shape::Request => Some(true),
                Shape::Payload | Shape::Staged | Shape::Session => None,
            },
            Scope::Sized => None,
        }
    }

    /// Holds the scopes that a destination of this kind names against its capabilities.
    ///
    /// # Panics
    /// When one is missing, too many, or unknown.
    pub fn hold(kind: SinkKind, named: &[&str]) {
        let can = kind.capabilities();
        let named: BTreeSet<&str> = named.iter().copied().collect();
        let known: BTreeSet<&str> = Self::ALL.iter().map(|(_, word)| *word).collect();
        assert!(named.is_subset(&known), "{named:?} are not all scopes: {known:?}");
        for (scope, word) in Self::ALL {
            if let Some(applies) = scope.applies(can) {
                assert_eq!(named.contains(word), applies, "scope {word} of {kind}");
            }
        }
    }
}
