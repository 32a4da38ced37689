//! Functions that exchange characters.

use super::{TEXT_BYTES_MAX, built, kept};
use crate::constant::Folded;

/// By the full mapping of Unicode, without a locale.
pub(in crate::constant) fn lower(text: &str) -> Folded {
    kept(text.to_lowercase())
}

/// By the full mapping of Unicode, without a locale.
pub(in crate::constant) fn upper(text: &str) -> Folded {
    kept(text.to_uppercase())
}

/// The first character of each run of alphanumerics in upper case, the rest of it in lower.
pub(in crate::constant) fn initcap(text: &str) -> Folded {
    let mut changed = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        match before.is_alphanumeric() {
            // What is not alphanumeric has no case.
            true if character.is_alphanumeric() => changed.extend(character.to_lowercase()),
            false if character.is_alphanumeric() => changed.extend(character.to_uppercase()),
            _ => changed.push(character),
        }
        before = character;
    }
    kept(changed)
}

/// Characters from the last to the first.
pub(in crate::constant) fn reverse(text: &str) -> Folded {
    kept(text.chars().rev().collect::<String>())
}

/// Every occurrence of `wanted`; an empty one occurs nowhere.
pub(in crate::constant) fn replace(text: &str, wanted: &str, other: &str) -> Folded {
    if wanted.is_empty() {
        return kept(text);
    }
    let found = text.matches(wanted).count();
    let bytes = (text.len() - found * wanted.len()).saturating_add(found.saturating_mul(other.len()));
    built(bytes, TEXT_BYTES_MAX, || text.replace(wanted, other))
}

/// Each character of `from` becomes the one at its place in `to`, or goes where there is none; the first of doubled
/// ones counts.
pub(in crate::constant) fn translate(text: &str, from: &str, to: &str) -> Folded {
    let mut table = std::collections::HashMap::new();
    let others = to.chars().map(Some).chain(std::iter::repeat(None));
    for (character, other) in from.chars().zip(others) {
        table.entry(character).or_insert(other);
    }
    let translated = text
        .chars()
        .filter_map(|character| table.get(&character).copied().unwrap_or(Some(character)));
    kept(translated.collect::<String>())
}
