//! Which scenarios of the conformance suite a kind has to pass in each of its modes, by its capabilities: the same for a real
//! destination and for one in memory.

use std::collections::BTreeSet;

use nspl_model::{ClientKind, KeyShape, Shape, SinkKind};

use crate::tried_mode::TriedMode;

/// The scenarios of a scope, handed to a macro as `scenarios!(SCOPE => [MACRO] (FIRST))`: it becomes `MACRO! { FIRST a, b, }`.
///
/// Both suites, on real servers and in memory, have their lists from here and one function for each name; so a sentence that
/// one of them lacks does not compile. `every` is the scope of all modes.
#[macro_export]
macro_rules! scenarios {
    (every => [$($then:tt)*] ($($first:tt)*)) => {
        $($then)* ! {
            $($first)*
            confirmed_is_acknowledged,
            order_is_kept_over_flushes,
            nothing_is_written_for_nothing,
            absent_at_start,
            nothing_is_leaked,
        }
    };
    (confirming => [$($then:tt)*] ($($first:tt)*)) => {
        $($then)* ! {
            $($first)*
            ambiguous_is_sent_again_with_the_same_bytes,
            silent_until_the_timeout,
            restarted_in_the_middle,
            order_is_kept_over_an_outage,
        }
    };
    (refusing => [$($then:tt)*] ($($first:tt)*)) => {
        $($then)* ! { $($first)* refused_is_rejected_alone, }
    };
    (sized => [$($then:tt)*] ($($first:tt)*)) => {
        $($then)* ! { $($first)* oversize_is_rejected_alone, }
    };
}

/// A scope of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The destination answers for what it took, so that an unknown outcome is kept.
    Confirming,
    /// It can refuse a record for good, and is heard.
    Refusing,
    /// It has a limit on what it takes.
    Sized,
    /// It shows a certificate: tried where there is a wire.
    Secured,
}

/// A mode by its word, and the words of the scopes that it is tried in.
pub type Named<'a> = (&'a str, &'a [&'a str]);

impl Scope {
    /// What a destination in memory is tried in, and a real one, too.
    const ANYWHERE: [(Scope, &'static str); 3] = [
        (Scope::Confirming, "confirming"),
        (Scope::Refusing, "refusing"),
        (Scope::Sized, "sized"),
    ];
    /// What a real one is tried in besides.
    const WIRE: [(Scope, &'static str); 1] = [(Scope::Secured, "secured")];

    /// Whether a kind has to pass the scope in a mode; `None` where only the destination knows.
    fn applies(self, kind: SinkKind, mode: TriedMode) -> Option<bool> {
        match self {
            Scope::Confirming => Some(mode.confirms()),
            Scope::Refusing => match kind.capabilities().shape {
                _ if !mode.confirms() => Some(false),
                Shape::Rows | Shape::Request => Some(true),
                Shape::Payload | Shape::Staged | Shape::Session => None,
            },
            Scope::Sized => None,
            Scope::Secured => {
                let client = ClientKind::from_name(kind.name())?;
                Some(mode.confirms() && reads_files(client))
            }
        }
    }

    /// Holds the modes and scopes that a real destination of this kind names against its capabilities.
    ///
    /// # Panics
    /// When one is missing, too many, or unknown.
    pub fn hold(kind: SinkKind, named: &[Named<'_>]) {
        Self::hold_of(&[&Self::ANYWHERE[..], &Self::WIRE].concat(), kind, named);
    }

    /// The same for a destination in memory, which has no wire.
    ///
    /// # Panics
    /// As [`Scope::hold`].
    pub fn hold_in_memory(kind: SinkKind, named: &[Named<'_>]) {
        Self::hold_of(&Self::ANYWHERE, kind, named);
    }

    fn hold_of(scopes: &[(Scope, &str)], kind: SinkKind, named: &[Named<'_>]) {
        let modes: Vec<&str> = named.iter().map(|(mode, _)| *mode).collect();
        let all: Vec<String> = TriedMode::all(kind).into_iter().map(TriedMode::word).collect();
        assert_eq!(modes, all, "modes of {kind}");
        let known: BTreeSet<&str> = scopes.iter().map(|(_, word)| *word).collect();
        for (mode, named) in named {
            let named: BTreeSet<&str> = named.iter().copied().collect();
            assert!(named.is_subset(&known), "{named:?} are not all scopes: {known:?}");
            for (scope, word) in scopes {
                if let Some(applies) = scope.applies(kind, TriedMode::named(kind, mode)) {
                    assert_eq!(named.contains(word), applies, "scope {word} of {kind} in {mode}");
                }
            }
        }
    }
}

/// Whether clients of the kind are given files of TLS.
fn reads_files(client: ClientKind) -> bool {
    let shape = client.shape();
    let is_file = |shape: KeyShape| shape == KeyShape::File;
    shape.keys.iter().any(|key| is_file(key.shape)) || !shape.passed_on_files.is_empty()
}
