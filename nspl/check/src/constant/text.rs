//! Texts that functions make: how long they may become, and up to where they are kept.

pub(super) mod change;
pub(super) mod digest;
pub(super) mod grow;
pub(super) mod part;

use nspl_model::Literal;

use super::Folded;

/// Any STRING result above this many bytes is a failure (rulings section 5).
pub(super) const TEXT_BYTES_MAX: usize = 16 << 20;

/// A longer text is not kept: what takes a constant has tighter bounds, and a short script must not need much memory.
pub(super) const KEPT_BYTES_MAX: usize = 64 << 10;

/// A text of known length, built only where it is kept. `most` bounds it.
fn built(bytes: usize, most: usize, build: impl FnOnce() -> String) -> Folded {
    if bytes > most {
        return Err(format!("the result is longer than {} MiB", most >> 20));
    }
    Ok((bytes <= KEPT_BYTES_MAX).then(|| Literal::String(build())))
}

/// A text that is at most a few times as long as a literal can be.
fn kept(text: impl Into<String>) -> Folded {
    let text = text.into();
    built(text.len(), TEXT_BYTES_MAX, || text)
}
