//! Functions of text. Characters are Unicode scalar values, positions are counted from 1.

use super::reference::Entry;

mod ascii;
mod bit_length;
mod concat;
mod contains;
mod ends_with;
mod initcap;
mod left;
mod length;
mod letters;
mod lower;
mod md5;
mod occurrences;
mod pad;
mod repeat;
mod replace;
mod reverse;
mod right;
mod slice;
mod split_part;
mod starts_with;
mod strpos;
mod substr;
mod to_hex;
mod translate;
mod trim;
mod upper;

/// The family, in the order of the reference.
pub(super) const ENTRIES: &[&[Entry]] = &[
    lower::ENTRIES,
    upper::ENTRIES,
    trim::ENTRIES,
    length::ENTRIES,
    bit_length::ENTRIES,
    ascii::ENTRIES,
    initcap::ENTRIES,
    left::ENTRIES,
    right::ENTRIES,
    substr::ENTRIES,
    concat::ENTRIES,
    repeat::ENTRIES,
    replace::ENTRIES,
    reverse::ENTRIES,
    pad::ENTRIES,
    split_part::ENTRIES,
    strpos::ENTRIES,
    translate::ENTRIES,
    to_hex::ENTRIES,
    md5::ENTRIES,
    contains::ENTRIES,
    starts_with::ENTRIES,
    ends_with::ENTRIES,
];
