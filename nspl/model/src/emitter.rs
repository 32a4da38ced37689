//! Emitters (emitters.txt).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::{
    Construction, Content, Dependency, DurationText, Expr, Flush, GeneralPolicy, HeaderWrite, MessagePolicy,
    Mode, RelayDef, Schema, SinkDef, SizeText,
};

/// An EMITTER definition with all it refers to.
#[derive(Clone, PartialEq, Debug)]
pub struct EmitterDef {
    /// Its domain.
    pub domain: String,
    /// Name in the domain.
    pub name: String,
    /// Whether its outcome is part of the upstream acknowledgement.
    pub attachment: Attachment,
    /// Never empty; all of one schema; no relay twice.
    pub sources: Vec<SourceDef>,
    /// COLLECT; `None`: each relay batch enters directly.
    pub collect: Option<Collect>,
    /// In written order, none twice.
    pub dependencies: Vec<Dependency>,
    /// Where records go.
    pub sink: SinkDef,
    /// What the construction builds.
    pub output: Arc<Schema>,
    /// How.
    pub construction: Construction,
    /// What is published of it.
    pub content: Content,
    /// INVOKE, in written order; reads the finished record.
    pub headers: Vec<HeaderWrite>,
    /// BATCH.
    pub batch: Option<BatchLimits>,
    /// FLUSH.
    pub flush: Flush,
    /// MODE.
    pub mode: Mode,
    /// ON MESSAGE ERROR.
    pub on_message_error: MessagePolicy,
    /// ON GENERAL ERROR.
    pub on_general_error: GeneralPolicy,
}

/// One relay of the FROM list.
#[derive(Clone, PartialEq, Debug)]
pub struct SourceDef {
    /// Whose batches.
    pub relay: Arc<RelayDef>,
    /// The source's WHERE over the input row.
    pub filter: Option<Expr>,
}

/// Whether an outcome takes part in the upstream acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Attachment {
    /// It does; the default.
    Attached,
    /// Fan-out acknowledges at once.
    Detached,
}

/// `COLLECT FOR d [MAX BATCH SIZE b]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collect {
    /// Domain time.
    pub each: Duration,
    /// Logical Arrow bytes.
    pub max_bytes: Option<u64>,
}

/// `BATCH MAX MESSAGES n MAX SIZE b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BatchLimits {
    /// Source records of one batch, from 1 to 65,536.
    pub max_messages: u32,
    /// Exact encoded bytes of one batch, at least 1.
    pub max_bytes: u64,
}

impl BatchLimits {
    /// The most that MAX MESSAGES may say.
    pub const MESSAGES_MAX: u32 = 65_536;
}

impl fmt::Display for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Attachment::Attached => "ATTACHED",
            Attachment::Detached => "DETACHED",
        })
    }
}

/// The whole clause, as DESCRIBE EMITTER shows it.
impl fmt::Display for Collect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "COLLECT FOR {}", DurationText(self.each))?;
        match self.max_bytes {
            Some(bytes) => write!(f, " MAX BATCH SIZE {}", SizeText(bytes)),
            None => Ok(()),
        }
    }
}

/// The clause without the word BATCH, as DESCRIBE EMITTER shows it.
impl fmt::Display for BatchLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "MAX MESSAGES {} MAX SIZE {}",
            self.max_messages,
            SizeText(self.max_bytes)
        )
    }
}
