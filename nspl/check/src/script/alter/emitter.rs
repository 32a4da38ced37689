//! ALTER EMITTER (emitters.txt "Altering emitters").

use nspl_model::{Body as BodyRule, SinkKind};
use nspl_syntax::alter::emitter::AlterEmitter;
use nspl_syntax::emitter::Emitter;
use nspl_syntax::emitter::source::Source;
use nspl_syntax::sink::{Body, Sink};
use nspl_syntax::{Name, Spanned};

use crate::Diagnostic;
use crate::rules::alter as rule;

pub(super) fn apply(emitter: &mut Emitter, operation: &AlterEmitter) -> Result<(), Diagnostic> {
    let name = emitter.name.text.clone();
    match operation {
        AlterEmitter::AddFrom(source) => {
            if emitter.sources.iter().any(|known| known.relay == source.relay) {
                return Err(rule::source_exists(source.relay.span, &name, &source.relay.text));
            }
            emitter.sources.push(source.clone());
        }
        AlterEmitter::DropFrom(relay) => {
            find_source(emitter, relay)?;
            if emitter.sources.len() == 1 {
                return Err(rule::last_source(relay.span, &name));
            }
            emitter.sources.retain(|source| source.relay != *relay);
        }
        AlterEmitter::SetWhere { relay, filter } => {
            find_source(emitter, relay)?.filter = Some(filter.clone())
        }
        AlterEmitter::DropWhere(relay) => {
            let source = find_source(emitter, relay)?;
            source
                .filter
                .take()
                .ok_or_else(|| rule::absent(relay.span, &name, "WHERE"))?;
        }
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
        AlterEmitter::DropEncode(span) => match &emitter.sink.body {
            Some(body) if matches!(body.node, Body::Codec(_)) => emitter.sink.body = None,
            _ => return Err(rule::absent(*span, &name, "ENCODE USING")),
        },
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

fn find_source<'e>(emitter: &'e mut Emitter, relay: &Name) -> Result<&'e mut Source, Diagnostic> {
    let name = emitter.name.text.clone();
    let found = emitter.sources.iter_mut().find(|source| source.relay == *relay);
    found.ok_or_else(|| rule::no_source(relay.span, &name, &relay.text))
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
