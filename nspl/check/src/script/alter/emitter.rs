//! ALTER EMITTER (emitters.txt "Altering emitters").

use nspl_model::{Body as BodyRule, SinkKind};
use nspl_syntax::alter::emitter::AlterEmitter;
use nspl_syntax::emitter::Emitter;
use nspl_syntax::emitter::source::Source;
use nspl_syntax::sink::{Body, Sink};
use nspl_syntax::{Name, Span, Spanned};

use super::parts::{Part, Parts, Refusal};
use crate::Diagnostic;
use crate::rules::alter as rule;

/// An emitter while operations change it.
pub(in crate::script) struct AlteringEmitter {
    emitter: Box<Emitter>,
    /// Those of the emitter, which has none meanwhile.
    sources: Parts<Source>,
    /// Whether a SET TO took its codec away, so that DROP ENCODE says what is done already.
    lost_codec: bool,
    /// Whether a SET TO was refused: nobody knows what the emitter has of what its sink decides.
    sink_is_doubtful: bool,
}

impl Part for Source {
    fn name(&self) -> &Name {
        &self.relay
    }

    fn name_mut(&mut self) -> &mut Name {
        &mut self.relay
    }

    fn absent(place: Span, owner: &str, name: &str, known: &[&str]) -> Diagnostic {
        rule::no_source(place, owner, name, known)
    }

    fn present(place: Span, owner: &str, name: &str) -> Diagnostic {
        rule::source_exists(place, owner, name)
    }

    fn last(place: Span, owner: &str) -> Diagnostic {
        rule::last_source(place, owner)
    }
}

impl AlteringEmitter {
    pub(super) fn of(mut emitter: Box<Emitter>) -> AlteringEmitter {
        let sources = std::mem::take(&mut emitter.sources);
        let sources = Parts::new(emitter.name.text.clone(), sources);
        AlteringEmitter {
            emitter,
            sources,
            lost_codec: false,
            sink_is_doubtful: false,
        }
    }

    pub(super) fn finish(mut self) -> Box<Emitter> {
        self.emitter.sources = self.sources.finish();
        self.emitter
    }

    /// The emitter as it is so far.
    pub(super) fn to_emitter(&self) -> Emitter {
        Emitter {
            sources: self.sources.to_vec(),
            ..Emitter::clone(&self.emitter)
        }
    }

    pub(super) fn apply(&mut self, operation: &AlterEmitter) -> Result<(), Refusal> {
        match operation {
            AlterEmitter::AddFrom(source) => self.sources.add(source.clone()),
            AlterEmitter::DropFrom(relay) => self.sources.remove(relay),
            AlterEmitter::SetWhere { relay, filter } => {
                self.sources.find(relay)?.filter = Some(filter.clone());
                Ok(())
            }
            AlterEmitter::DropWhere(relay) => {
                let filter = self.sources.find(relay)?.filter.take();
                let name = &self.emitter.name.text;
                let dropped = filter.map(drop);
                dropped.ok_or_else(|| Some(rule::absent(relay.span, name, "WHERE")))
            }
            AlterEmitter::DropEncode(_) if std::mem::take(&mut self.lost_codec) => Ok(()),
            operation => {
                let had_codec = has_codec(&self.emitter);
                let done = set(&mut self.emitter, operation);
                if matches!(operation, AlterEmitter::SetTo(_)) {
                    self.lost_codec = had_codec && self.emitter.sink.body.is_none();
                    self.sink_is_doubtful = done.is_err();
                    return done.map_err(Some);
                }
                done.map_err(|fault| {
                    Some(fault).filter(|_| !(self.sink_is_doubtful && is_of_sink(operation)))
                })
            }
        }
    }
}

/// Whether an operation needs something that the sink decides.
fn is_of_sink(operation: &AlterEmitter) -> bool {
    matches!(
        operation,
        AlterEmitter::SetClient(_)
            | AlterEmitter::DropEncode(_)
            | AlterEmitter::SetCommit(_)
            | AlterEmitter::DropBatch(_)
    )
}

fn has_codec(emitter: &Emitter) -> bool {
    let body = emitter.sink.body.as_ref();
    body.is_some_and(|body| matches!(body.node, Body::Codec(_)))
}

/// Operations on what an emitter has once.
fn set(emitter: &mut Emitter, operation: &AlterEmitter) -> Result<(), Diagnostic> {
    let name = emitter.name.text.clone();
    match operation {
        // They are operations on its sources.
        AlterEmitter::AddFrom(_)
        | AlterEmitter::DropFrom(_)
        | AlterEmitter::SetWhere { .. }
        | AlterEmitter::DropWhere(_) => {}
        AlterEmitter::SetTo(sink) => set_sink(emitter, sink)?,
        AlterEmitter::SetMode(mode) => emitter.sink.mode = mode.clone(),
        AlterEmitter::SetClient(client) => {
            let slot = emitter.sink.target.client_mut();
            *slot.ok_or_else(|| rule::no_client(client.span, &name))? = client.clone();
        }
        AlterEmitter::SetEncode(codec) => {
            emitter.sink.body = Some(Spanned::new(Body::Codec(codec.clone()), codec.span));
        }
        AlterEmitter::DropEncode(span) if has_choice(&emitter.sink) => {
            return Err(rule::drop_encode(*span, &name, emitter.sink.target.keyword()));
        }
        AlterEmitter::DropEncode(_) if has_codec(emitter) => emitter.sink.body = None,
        AlterEmitter::DropEncode(span) => return Err(rule::absent(*span, &name, "ENCODE USING")),
        AlterEmitter::SetCollect(collect) => emitter.collect = Some(collect.clone()),
        AlterEmitter::DropCollect(span) => {
            emitter
                .collect
                .take()
                .ok_or_else(|| rule::absent(*span, &name, "COLLECT"))?;
        }
        AlterEmitter::SetAttachment(attachment) => emitter.attachment = Some(*attachment),
        AlterEmitter::SetBatch(batch) => emitter.batch = Some(batch.clone()),
        AlterEmitter::DropBatch(span) => {
            emitter
                .batch
                .take()
                .ok_or_else(|| rule::absent(*span, &name, "BATCH"))?;
        }
        AlterEmitter::SetFlush(flush) => emitter.flush = flush.clone(),
        AlterEmitter::SetCommit(commit) => {
            let kind = emitter.sink.target.keyword();
            let slot = emitter.sink.target.commit_mut();
            *slot.ok_or_else(|| rule::no_commit(commit.span, &name, kind))? = commit.clone();
        }
    }
    Ok(())
}

/// VALUES left out keep those of the sink before, and ENCODE USING left out keeps the codec where the new sink takes
/// nothing else; one with a choice has to make it (emitters.txt "HTTP requests": SET TO HTTP restates the body selection).
fn set_sink(emitter: &mut Emitter, sink: &Sink) -> Result<(), Diagnostic> {
    let (before, after) = (body_rule(&emitter.sink), body_rule(sink));
    let maps = |body: Option<BodyRule>| body == Some(BodyRule::Values);
    // The construction stays as it is, so it has to be none that the new sink could not have.
    let stays = match (maps(before), maps(after)) {
        (false, true) => emitter.construction.is_empty() && sink.values.is_some(),
        (true, false) => false,
        _ => true,
    };
    if !stays {
        let name = emitter.name.text.as_str();
        return Err(rule::construction(sink.span, name, sink.target.keyword()));
    }
    let mapped = emitter.sink.values.take();
    let kept = emitter
        .sink
        .body
        .take()
        .filter(|body| matches!(body.node, Body::Codec(_)));
    emitter.sink = sink.clone();
    if emitter.sink.body.is_none() && after == Some(BodyRule::Codec) {
        emitter.sink.body = kept;
    }
    if emitter.sink.values.is_none() && maps(after) {
        emitter.sink.values = mapped;
    }
    Ok(())
}

fn body_rule(sink: &Sink) -> Option<BodyRule> {
    SinkKind::from_name(sink.target.keyword()).map(|kind| kind.capabilities().body)
}

/// Whether the sink is one that publishes with a codec or without a body.
fn has_choice(sink: &Sink) -> bool {
    body_rule(sink) == Some(BodyRule::CodecOrNone)
}
