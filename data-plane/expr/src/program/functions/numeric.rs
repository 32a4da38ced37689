//! Functions of numbers. `abs`, `ceil`, `floor` and `round` keep the type of their argument; the others take any
//! numeric type, each argument rounded to F64 by itself, and give F64.

use super::reference::Entry;

mod abs;
mod acos;
mod asin;
mod atan;
mod ceil;
mod cos;
mod exp;
mod floor;
mod ln;
mod log;
mod pow;
mod real;
mod round;
mod sqrt;
mod tan;
mod whole;

/// The family, in the order of the reference.
pub(super) const ENTRIES: &[&[Entry]] = &[
    abs::ENTRIES,
    acos::ENTRIES,
    asin::ENTRIES,
    atan::ENTRIES,
    ceil::ENTRIES,
    cos::ENTRIES,
    exp::ENTRIES,
    floor::ENTRIES,
    ln::ENTRIES,
    log::ENTRIES,
    pow::ENTRIES,
    round::ENTRIES,
    sqrt::ENTRIES,
    tan::ENTRIES,
];
