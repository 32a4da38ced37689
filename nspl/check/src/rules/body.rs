//! The body clauses are those of the sink (emitters.txt "Codec Behavior On Emission").

use nspl_model::{Body, Capabilities};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1211",
    title: "ENCODE USING, WITHOUT BODY and VALUES stand only in sinks that take them",
    fails: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING c INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// The sink does not take the clause; the flag says that the one which it takes stands beside.
pub(crate) fn fault(place: Span, sink: &Capabilities, (clause, stands): (&str, bool)) -> Diagnostic {
    let instead = match sink.body {
        Body::Native => "leave it out: the record is built by INHERIT and SET and sent as Arrow",
        Body::Values if stands => "leave it out: VALUES says what is written",
        Body::Codec | Body::CodecOrNone if stands => "leave it out: the codec says what is written",
        Body::Values => "write VALUES {...}",
        Body::Codec => "write ENCODE USING <codec>",
        Body::CodecOrNone => "write ENCODE USING <codec> or WITHOUT BODY",
    };
    RULE.fault(
        place,
        format!("{} emitter does not take {clause}", with_article(sink.kind)),
    )
    .help(instead)
}
