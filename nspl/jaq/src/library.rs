//! What programs can call: the standard library of jaq without what is barred, `now` of the snapshot, and a `strptime` that
//! reads nothing of the machine.

use jaq_core::load::parse::Def;
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{DataT, Lut};
use jaq_json::Val;

use crate::barred::barred;
use crate::time::strptime;

/// The data of a run.
pub(crate) struct Kind;

/// What a run reads beside its input.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) lut: &'a Lut<Kind>,
    /// Seconds since the epoch.
    pub(crate) now: f64,
}

impl DataT for Kind {
    type V<'a> = Val;
    type Data<'a> = Surroundings<'a>;
}

impl<'a> jaq_core::data::HasLut<'a, Kind> for Surroundings<'a> {
    fn lut(&self) -> &'a Lut<Kind> {
        self.lut
    }
}

/// Filters that are defined in jq itself. One that calls what is barred is barred, too.
pub(crate) fn definitions() -> impl Iterator<Item = Def<&'static str>> {
    let all = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    all.filter(|definition| barred(definition.name).is_none())
}

/// Filters that are native.
pub(crate) fn functions() -> impl Iterator<Item = Fun<Kind>> {
    let all = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let own = [
        run::<Kind>(("now", v(0), |cv| bome(Ok(Val::from(cv.0.data().now))))),
        strptime(),
    ];
    let replaced = own.each_ref().map(|(name, ..)| *name);
    let safe = all.filter(move |(name, ..)| !replaced.contains(name) && barred(name).is_none());
    safe.chain(own)
}
