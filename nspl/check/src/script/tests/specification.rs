//! The examples of emitters.txt, as they are written, each in the least catalog that it needs.

use std::collections::BTreeSet;

use nspl_model::{Body, SinkKind};
use nspl_syntax::entity::Entity;
use nspl_syntax::{Create, Statement, print};

use super::{accepted, check, codes};
use crate::Catalog;

const EXAMPLES: &str = include_str!("../../../../syntax/tests/corpus/emitters.nspl");

/// What the examples speak of without creating it.
const LEAST: &str = "
CREATE DOMAIN d; USE d; BEGIN;
CREATE SCHEMA received (raw STRING, secret STRING, active BOOL, tenant STRING, normalized STRING, source STRING);
CREATE SCHEMA notification (secret STRING, active BOOL, tenant STRING, normalized STRING);
CREATE SCHEMA request (request_method STRING, request_path STRING, event_id STRING, payload STRING, tenant STRING);
CREATE SCHEMA event_body (event_id STRING, payload STRING);
CREATE SCHEMA failure (message STRING, level STRING);
CREATE RELAY notifications SCHEMA received UNBRANCHED;
CREATE RELAY primary_notifications SCHEMA received UNBRANCHED;
CREATE RELAY replayed_notifications SCHEMA received UNBRANCHED;
CREATE RELAY outgoing SCHEMA request UNBRANCHED;
CREATE RELAY errors SCHEMA failure UNBRANCHED;
CREATE RESOURCE dev_tls;
CREATE CODEC sentry_event_codec FROM JSON TO SCHEMA failure WITH JAQ TRANSFORMATIONS ON EMITTING '.';
CREATE CODEC event_body_codec FROM JSON TO SCHEMA event_body WITH JAQ TRANSFORMATIONS ON EMITTING '.';
CREATE CLIENT kafka_main TYPE KAFKA CONFIG {'bootstrap.servers' = '127.0.0.1:9092'};
COMMIT;";

/// Whether an example is a client, a codec, or an emitter that publishes what a codec writes.
fn is_ours(entity: &Entity) -> bool {
    match entity {
        Entity::Emitter(emitter) => SinkKind::from_name(emitter.sink.target.keyword())
            .is_some_and(|kind| matches!(kind.capabilities().body, Body::Codec | Body::CodecOrNone)),
        other => matches!(other, Entity::Client(_) | Entity::Codec(_)),
    }
}

#[test]
fn every_example_that_publishes_what_a_codec_writes_is_accepted() {
    let parsed = nspl_syntax::parse(EXAMPLES);
    let examples = parsed
        .statements
        .iter()
        .filter_map(|statement| match &statement.node {
            Statement::Create(Create { entity, .. }) if is_ours(entity) => {
                Some((entity, print(&statement.node)))
            }
            _ => None,
        });
    let (emitters, others): (Vec<_>, Vec<_>) =
        examples.partition(|(entity, _)| matches!(entity, Entity::Emitter(_)));
    let mut catalog = accepted(LEAST, &Catalog::default());
    let mut created = BTreeSet::new();
    for (entity, text) in &others {
        // Several examples are about one client: the first is as good as the last.
        if created.insert(entity.name().text.as_str()) {
            catalog = accepted(text, &catalog);
        }
    }
    for (_, text) in &emitters {
        assert_eq!(codes(&check(text, &catalog)), Vec::<&str>::new(), "{text}");
    }
    // With the 8 emitters of the direct sinks, all 30 statements of the chapter.
    assert_eq!((emitters.len(), others.len()), (7, 15));
}
