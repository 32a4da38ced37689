//! How deep values are nested. Writers recurse with them, and so do most readers of other systems, so there is a bound.

use jaq_json::Val;

use super::fault::WriteFault;

/// The deepest nesting of arrays and objects, and of what a format makes of them, that is written or read.
pub(crate) const DEPTH_MAX: u32 = 127;

/// What is deeper, in messages.
pub(crate) const TOO_DEEP: &str = "a value nested more than 127 deep";

/// The depth at a place of a value.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Nesting(u32);

impl Nesting {
    /// One level further in.
    pub(crate) fn deeper(self) -> Result<Nesting, WriteFault> {
        if self.0 < DEPTH_MAX {
            Ok(Nesting(self.0 + 1))
        } else {
            Err(WriteFault::Value(TOO_DEEP))
        }
    }
}

/// Whether a value is no deeper than the bound. It recurses no further than that.
pub(crate) fn is_bounded(value: &Val) -> bool {
    fn within(value: &Val, left: u32) -> bool {
        match value {
            Val::Arr(elements) => left > 0 && elements.iter().all(|element| within(element, left - 1)),
            Val::Obj(fields) => {
                let both = |(key, field)| within(key, left - 1) && within(field, left - 1);
                left > 0 && fields.iter().all(both)
            }
            _ => true,
        }
    }
    within(value, DEPTH_MAX)
}
