//! Operations of ALTER EMITTER (emitters.txt "Altering emitters").

use crate::emitter::Attachment;
use crate::emitter::batch::Batch;
use crate::emitter::collect::Collect;
use crate::emitter::mode::Mode;
use crate::emitter::source::Source;
use crate::emitter::{self, batch, collect, mode, source};
use crate::expression::Expr;
use crate::flush::Flush;
use crate::grammar::{Rule, keyword, name, phrase};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::relay::RELAY;
use crate::sink::Sink;
use crate::sink::iceberg::Commit;
use crate::span::{Span, Spanned};
use crate::{flush, sink};
use chumsky::prelude::{Parser, choice};

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

pub(super) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, AlterEmitter> {
    let add = phrase("ADD FROM")
        .ignore_then(source::rule(expression))
        .map(AlterEmitter::AddFrom)
        .boxed();
    let drops = choice((
        keyword("FROM")
            .ignore_then(name(RELAY))
            .map(AlterEmitter::DropFrom)
            .boxed(),
        keyword("ENCODE").map(AlterEmitter::DropEncode).boxed(),
        keyword("COLLECT").map(AlterEmitter::DropCollect).boxed(),
        keyword("BATCH").map(AlterEmitter::DropBatch).boxed(),
    ));
    let sets = choice((
        keyword("TO")
            .ignore_then(sink::rule(expression))
            .map(|sink| AlterEmitter::SetTo(Box::new(sink)))
            .boxed(),
        mode::rule().map(AlterEmitter::SetMode).boxed(),
        keyword("CLIENT")
            .ignore_then(name("a client name"))
            .map(AlterEmitter::SetClient)
            .boxed(),
        phrase("ENCODE USING")
            .ignore_then(name("a codec name"))
            .map(AlterEmitter::SetEncode)
            .boxed(),
        collect::rule().map(AlterEmitter::SetCollect).boxed(),
        emitter::attachment().map(AlterEmitter::SetAttachment).boxed(),
        batch::rule().map(AlterEmitter::SetBatch).boxed(),
        flush::rule().map(AlterEmitter::SetFlush).boxed(),
        sink::iceberg::commit().map(AlterEmitter::SetCommit).boxed(),
    ));
    choice((
        add,
        source_predicate(expression),
        keyword("DROP").ignore_then(drops).boxed(),
        keyword("SET").ignore_then(sets).boxed(),
    ))
    .boxed()
}

/// `ALTER FROM r SET WHERE e` and `ALTER FROM r DROP WHERE`
fn source_predicate<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, AlterEmitter> {
    let set = phrase("SET WHERE")
        .ignore_then(expression.clone())
        .map(Some)
        .boxed();
    let drop = phrase("DROP WHERE").map(|_| None).boxed();
    let parts = phrase("ALTER FROM")
        .ignore_then(name(RELAY))
        .then(choice((set, drop)));
    parts
        .map(|(relay, filter)| match filter {
            Some(filter) => AlterEmitter::SetWhere { relay, filter },
            None => AlterEmitter::DropWhere(relay),
        })
        .boxed()
}

impl Print for AlterEmitter {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::AddFrom(source) => _ = printer.put("ADD FROM ").node(source),
            Self::DropFrom(relay) => _ = printer.put("DROP FROM ").node(relay),
            Self::SetWhere { relay, filter } => {
                printer
                    .put("ALTER FROM ")
                    .node(relay)
                    .put(" SET WHERE ")
                    .node(filter);
            }
            Self::DropWhere(relay) => _ = printer.put("ALTER FROM ").node(relay).put(" DROP WHERE"),
            Self::SetTo(sink) => sink.print_at(printer.put("SET TO "), 4),
            Self::SetMode(mode) => _ = printer.put("SET MODE ").node(mode),
            Self::SetClient(client) => _ = printer.put("SET CLIENT ").node(client),
            Self::SetEncode(codec) => _ = printer.put("SET ENCODE USING ").node(codec),
            Self::DropEncode(_) => _ = printer.put("DROP ENCODE"),
            Self::SetCollect(collect) => _ = printer.put("SET ").node(collect),
            Self::DropCollect(_) => _ = printer.put("DROP COLLECT"),
            Self::SetAttachment(attachment) => _ = printer.put("SET ").node(&attachment.node),
            Self::SetBatch(batch) => _ = printer.put("SET ").node(batch),
            Self::DropBatch(_) => _ = printer.put("DROP BATCH"),
            Self::SetFlush(flush) => _ = printer.put("SET ").node(flush),
            Self::SetCommit(commit) => _ = printer.put("SET ").node(commit),
        }
    }
}
