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
use crate::expression::Expr;
use crate::flush::Flush;
use crate::grammar::{Rule, choice_of, keyword, list, name, spanned};
use crate::name::Name;
use crate::printer::{Print, Printer, display};
use crate::sink::Sink;
use crate::span::Span;
use crate::span::Spanned;
use crate::{construction, error_policy, flush, sink};
use chumsky::prelude::{IterParser, Parser, choice, group};

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

pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Emitter> {
    let head = attachment()
        .or_not()
        .then_ignore(keyword("EMITTER"))
        .then(name("an emitter name"));
    let inputs = group((
        keyword("FROM").ignore_then(list(source::rule(expression))),
        collect::rule().or_not(),
        dependency::rule(expression).repeated().collect(),
    ));
    let outputs = group((
        keyword("TO").ignore_then(sink::rule(expression)),
        construction::rule(expression),
        batch::rule().or_not(),
        flush::rule(),
        error_policy::message_policy(expression),
        error_policy::general_policy(),
    ));
    group((head.boxed(), inputs.boxed(), outputs.boxed()))
        .map(
            |((attachment, name), (sources, collect, dependencies), outputs)| {
                let (sink, mut construction, batch, flush, on_message_error, on_general_error) = outputs;
                if construction.is_empty() {
                    construction.span = Span::new(sink.span.end, sink.span.end);
                }
                Emitter {
                    attachment,
                    name,
                    sources,
                    collect,
                    dependencies,
                    sink,
                    construction,
                    batch,
                    flush,
                    on_message_error,
                    on_general_error,
                }
            },
        )
        .boxed()
}

/// `ATTACHED | DETACHED`
pub(crate) fn attachment<'t>() -> Rule<'t, Spanned<Attachment>> {
    spanned(choice((
        choice_of("ATTACHED", Attachment::Attached),
        choice_of("DETACHED", Attachment::Detached),
    )))
}

impl Print for Attachment {
    fn print(&self, printer: &mut Printer) {
        printer.put(self.as_str());
    }
}

impl Print for Emitter {
    fn print(&self, printer: &mut Printer) {
        if let Some(attachment) = &self.attachment {
            printer.node(&attachment.node).put(" ");
        }
        printer.put("EMITTER ").node(&self.name);
        printer.line(2).put("FROM ").column(7, &self.sources);
        printer.clause(2, self.collect.as_ref());
        for dependency in &self.dependencies {
            dependency.print_at(printer.line(2), 2);
        }
        self.sink.print_at(printer.line(2).put("TO "), 4);
        self.construction.print_at(printer, 2);
        printer.clause(2, self.batch.as_ref()).line(2).node(&self.flush);
        self.on_message_error.print_at(printer.line(2), 2);
        printer.line(2).node(&self.on_general_error);
    }
}

display!(Attachment);
