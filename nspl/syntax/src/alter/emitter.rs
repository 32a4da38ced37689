//! Operations of ALTER EMITTER (emitters.txt "Altering emitters").

use crate::emitter::Attachment;
use crate::emitter::batch::Batch;
use crate::emitter::collect::Collect;
use crate::emitter::mode::Mode;
use crate::emitter::source::Source;
use crate::expression::Expr;
use crate::flush::Flush;
use crate::name::Name;
use crate::sink::Sink;
use crate::sink::iceberg::Commit;
use crate::span::{Span, Spanned};

/// One operation of ALTER EMITTER.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlterEmitter {
    /// `ADD FROM r [WHERE e]`
    AddFrom(Source),
    /// `DROP FROM r`
    DropFrom(Name),
    /// `ALTER FROM r SET WHERE e`
    SetWhere {
        /// The source relay.
        relay: Name,
        /// Its new predicate.
        filter: Expr,
    },
    /// `ALTER FROM r DROP WHERE`
    DropWhere(Name),
    /// `SET TO <full sink clause>`
    SetTo(Box<Sink>),
    /// `SET MODE ...`
    SetMode(Mode),
    /// `SET CLIENT c`
    SetClient(Name),
    /// `SET ENCODE USING c`
    SetEncode(Name),
    /// `DROP ENCODE`
    DropEncode(Span),
    /// `SET COLLECT ...`
    SetCollect(Collect),
    /// `DROP COLLECT`
    DropCollect(Span),
    /// `SET ATTACHED` or `SET DETACHED`
    SetAttachment(Spanned<Attachment>),
    /// `SET BATCH ...`
    SetBatch(Batch),
    /// `DROP BATCH`
    DropBatch(Span),
    /// `SET FLUSH ...`
    SetFlush(Flush),
    /// `SET COMMIT ...`
    SetCommit(Commit),
}
