//! The output flush policy (companion section 11).

use std::fmt;
use std::time::Duration;

use crate::{DurationText, SizeText};

/// When collected output leaves; the first boundary counts, from the first row of an empty buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flush {
    /// `FLUSH EACH d MAX BATCH SIZE b`.
    Each {
        /// Domain time.
        every: Duration,
        /// Logical Arrow bytes.
        max_bytes: u64,
    },
    /// `FLUSH IMMEDIATE`: a window of 100 us of physical time and no size boundary.
    Immediate,
}

impl fmt::Display for Flush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flush::Each { every, max_bytes } => {
                write!(
                    f,
                    "FLUSH EACH {} MAX BATCH SIZE {}",
                    DurationText(*every),
                    SizeText(*max_bytes)
                )
            }
            Flush::Immediate => f.write_str("FLUSH IMMEDIATE"),
        }
    }
}
