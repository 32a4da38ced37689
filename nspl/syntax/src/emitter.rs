//! Emitters (emitters.txt; clause order in companion section 2).
//!
//! This file knows the order of the clauses; each clause has a file of its own.

pub mod batch;
pub mod collect;
pub mod dependency;
pub mod mode;
pub mod source;

use crate::construction::Construction;
use crate::error_policy::{GeneralPolicy, MessagePolicy};
use crate::flush::Flush;
use crate::name::Name;
use crate::sink::Sink;
use crate::span::Spanned;

use self::batch::Batch;
use self::collect::Collect;
use self::dependency::Dependency;
use self::source::Source;

/// An emitter definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Emitter {
    /// The word before EMITTER; see [`Emitter::attachment`].
    pub attachment: Option<Spanned<Attachment>>,
    /// The name of the emitter.
    pub name: Name,
    /// The FROM list, at least one.
    pub sources: Vec<Source>,
    /// The COLLECT clause.
    pub collect: Option<Collect>,
    /// The USING MATERIALIZED STATE clauses in written order.
    pub dependencies: Vec<Dependency>,
    /// The sink with its mode and body.
    pub sink: Sink,
    /// The clauses that build the output; empty for direct sinks, whose VALUES are in [`Sink::values`].
    pub construction: Construction,
    /// The BATCH clause.
    pub batch: Option<Batch>,
    /// The FLUSH clause.
    pub flush: Flush,
    /// The ON MESSAGE ERROR clause.
    pub on_message_error: MessagePolicy,
    /// The ON GENERAL ERROR clause.
    pub on_general_error: GeneralPolicy,
}

/// Whether an emitter's outcome takes part in the upstream acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attachment {
    /// It does.
    Attached,
    /// The relay acknowledges at fan-out.
    Detached,
}

impl Attachment {
    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Attached => "ATTACHED",
            Self::Detached => "DETACHED",
        }
    }
}

impl Emitter {
    /// The attachment in force: ATTACHED when the word is left out.
    #[must_use]
    pub fn attachment(&self) -> Attachment {
        self.attachment
            .as_ref()
            .map_or(Attachment::Attached, |word| word.node)
    }
}
