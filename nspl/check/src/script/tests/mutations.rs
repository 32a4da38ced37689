//! Damaged scripts: whatever is read, judging ends, and what it says points into the text.

use proptest::prelude::{ProptestConfig, any, prop_oneof};
use proptest::strategy::{Just, Strategy};
use proptest::{prop_assert, proptest};

use super::{WORLD, check, world};
use crate::Catalog;

#[derive(Clone, Debug)]
enum Damage {
    Drop,
    Double,
    Replace(&'static str),
    Swap,
}

fn damage() -> impl Strategy<Value = (usize, Damage)> {
    let words = [
        "events", "event", "failures", "id", "note", "secret", "0", "'x'", "NULL", "AND", "input.id", "(",
        ";", "BEGIN;", "d",
    ];
    let kinds = prop_oneof![
        Just(Damage::Drop),
        Just(Damage::Double),
        Just(Damage::Swap),
        (0..words.len()).prop_map(move |index| Damage::Replace(words[index])),
    ];
    (any::<usize>(), kinds)
}

fn damaged(text: &str, damages: &[(usize, Damage)]) -> String {
    let mut words: Vec<&str> = text.split_inclusive([' ', '(', ',', ';']).collect();
    for (at, damage) in damages {
        let (at, next) = (at % words.len(), (at + 1) % words.len());
        match damage {
            Damage::Drop => drop(words.remove(at)),
            Damage::Double => words.insert(at, words[at]),
            Damage::Replace(word) => words[at] = word,
            Damage::Swap => words.swap(at, next),
        }
    }
    words.concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]
    #[test]
    fn judging_a_damaged_script_ends_and_points_into_it(damages in proptest::collection::vec(damage(), 1..6), fresh: bool) {
        let catalog = if fresh { Catalog::default() } else { world() };
        let text = damaged(WORLD, &damages);
        let checked = check(&text, &catalog);
        for found in &checked.diagnostics {
            prop_assert!(text.get(found.span.clone()).is_some(), "{found:?}");
            prop_assert!(found.labels.iter().all(|label| text.get(label.span.clone()).is_some()), "{found:?}");
            prop_assert!(!found.message.ends_with('.'), "{found:?}");
        }
        prop_assert!(checked.diagnostics.is_sorted_by_key(|found| (found.span.start, found.span.end)));
    }
}
