//! What definitions hold, and how they come back from stored text.

use std::sync::Arc;

use super::{LOG, MODE, TAIL, accepted, check, codes, world};
use crate::{Catalog, definition, restore};
use nspl_model::{
    Definition, EmitterDef, EntityKey, EntityKind, ExprKind, IngestorDef, MessagePolicy, Resolution, Scope,
    Step,
};

fn emitter(catalog: &Catalog, name: &str) -> Arc<EmitterDef> {
    match &catalog
        .get("d", &EntityKey::new(EntityKind::Emitter, name))
        .unwrap()
        .definition
    {
        Definition::Emitter(emitter) => emitter.clone(),
        other => panic!("{other:?}"),
    }
}

fn ingestor(catalog: &Catalog, name: &str) -> Arc<IngestorDef> {
    match &catalog
        .get("d", &EntityKey::new(EntityKind::Ingestor, name))
        .unwrap()
        .definition
    {
        Definition::Ingestor(ingestor) => ingestor.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_entity_comes_back_from_its_closure_and_the_catalog_from_its_statements() {
    let catalog = accepted(
        &format!(
            "CREATE EMITTER more FROM events TO CLIENT SCHEMA event {MODE}
             SET id = IF id > 1 THEN -5 ELSE id % 3 END, origin = uuid_v4(), note = concat(output.origin, uuid_v7())
             WHERE note = 'x' OR input.id IS NULL {TAIL} {LOG}"
        ),
        &world(),
    );
    let mut stored: Vec<(String, String)> = Vec::new();
    for entity in catalog
        .entities("d")
        .iter()
        .rev()
        .chain(catalog.domain_entity("d"))
    {
        stored.push(("d".into(), entity.text.to_string()));
        let closure = catalog.closure("d", &entity.key);
        let texts: Vec<&str> = closure.iter().map(|entity| &*entity.text).collect();
        if entity.key.kind != EntityKind::Domain {
            assert_eq!(
                definition("d", &texts).unwrap(),
                entity.definition,
                "{}",
                entity.key
            );
        }
    }
    let restored = restore(
        stored
            .iter()
            .map(|(domain, text)| (domain.as_str(), text.as_str())),
    )
    .unwrap();
    assert_eq!(restored.differences(&catalog), []);
    assert_eq!(restored.len(), catalog.len());
    for entity in catalog.entities("d") {
        assert_eq!(
            restored.get("d", &entity.key).unwrap().definition,
            entity.definition
        );
    }
}

#[test]
fn a_damaged_statement_is_named_by_its_number() {
    let texts = ["CREATE SCHEMA s (a I8);", "CREATE RELAY r SCHEMA t UNBRANCHED;"];
    match definition("d", &texts) {
        Err(crate::RestoreError::Refused { index: 1, diagnostic }) => assert_eq!(diagnostic.code, "E1001"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_working_message_reads_the_output_once_it_is_set_and_the_input_before() {
    let catalog = accepted(
        &format!(
            "CREATE EMITTER e FROM events TO CLIENT SCHEMA event {MODE}
             INHERIT origin SET id = id + 1, note = concat(message.origin, id AS STRING) WHERE secret = 'x' {TAIL} {LOG}"
        )
        .replace("secret = 'x'", "input.note = 'x' AND id = 1"),
        &world(),
    );
    let definition = emitter(&catalog, "e");
    let scopes: Vec<Vec<(Scope, usize)>> = definition
        .construction
        .steps
        .iter()
        .map(|step| match step {
            Step::Inherit { output, input } => vec![(Scope::Output, *output), (Scope::Input, *input)],
            Step::Set(set) => set
                .expr
                .fields()
                .iter()
                .map(|field| (field.scope.clone(), field.index))
                .collect(),
        })
        .collect();
    assert_eq!(
        scopes,
        [
            vec![(Scope::Output, 1), (Scope::Input, 1)],
            vec![(Scope::Input, 0)],
            vec![(Scope::Output, 0), (Scope::Output, 1)]
        ]
    );
    let filter = definition.construction.filter.as_ref().unwrap();
    let read: Vec<&Scope> = filter.fields().iter().map(|field| &field.scope).collect();
    assert_eq!(read, [&Scope::Input, &Scope::Output]);
}

#[test]
fn volatile_calls_are_numbered_over_the_whole_definition() {
    let catalog = accepted(
        &format!(
            "CREATE EMITTER e FROM events WHERE uuid_v4() != '' TO CLIENT SCHEMA event {MODE}
             SET id = 1, origin = concat(uuid_v4(), uuid_v7()) {TAIL}
             ON MESSAGE ERROR SEND TO failures SET reason = uuid_v4() ON GENERAL ERROR LOG;"
        ),
        &world(),
    );
    let definition = emitter(&catalog, "e");
    let mut sites = Vec::new();
    let mut open: Vec<&nspl_model::Expr> = definition
        .sources
        .iter()
        .filter_map(|source| source.filter.as_ref())
        .collect();
    open.extend(
        definition
            .construction
            .steps
            .iter()
            .filter_map(|step| match step {
                Step::Set(set) => Some(&set.expr),
                Step::Inherit { .. } => None,
            }),
    );
    if let MessagePolicy::SendTo(route) = &definition.on_message_error {
        open.extend(route.set.iter().map(|set| &set.expr));
    }
    while let Some(node) = open.pop() {
        if let ExprKind::Call { function, site, .. } = &node.kind
            && function.is_volatile()
        {
            sites.push(*site);
        }
        open.extend(node.children());
    }
    sites.sort_unstable();
    assert_eq!(sites, [0, 1, 2, 3]);
}

#[test]
fn branch_keys_stand_in_the_order_of_the_branch_and_optional_ones_may_be_left_out() {
    let catalog = accepted(
        "BEGIN; CREATE SCHEMA keys (a STRING, b I64 OPTIONAL, c I64);
         CREATE BRANCH by_keys SCHEMA keys TTL 1h MAX INSTANCES 10 EVICT LRU;
         CREATE RELAY keyed SCHEMA event BRANCHED BY by_keys;
         CREATE INGESTOR i FROM CLIENT SCHEMA event FILTER WHERE id > 0 MODE NO_ACK
           TO keyed INHERIT ALL BRANCHED BY by_keys SET c = output.id, a = upper(origin)
           FLUSH EACH 1s MAX BATCH SIZE 1KB ON MESSAGE ERROR SEND TO failures SET reason = error.code
           ON GENERAL ERROR IGNORE; COMMIT;",
        &world(),
    );
    let definition = ingestor(&catalog, "i");
    let keys = definition.routes[0].branch_keys.as_ref().unwrap();
    assert_eq!(keys.iter().map(|key| key.index).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(keys[1].expr.as_literal().unwrap().is_null());
    assert_eq!(keys[2].expr.fields()[0].scope, Scope::Output);
    assert_eq!(
        definition.routes[0].relay.branch.as_ref().unwrap().max_instances,
        Some(10)
    );
}

#[test]
fn dependencies_bind_constants_of_every_type() {
    let catalog = accepted(
        &format!(
            "BEGIN; CREATE SCHEMA state (at DATETIME, raw BYTES, n I64 OPTIONAL, tags VEC<STRING>);
             CREATE RELAY states SCHEMA state UNBRANCHED WITH MATERIALIZED STATE LAST BY TIMESTAMP;
             CREATE EMITTER e FROM events
               USING MATERIALIZED STATE states DEFAULT {{'tags' = ['a'], 'at' = '1970-01-01T00:00:01Z' AS DATETIME,
                 'raw' = 'x' AS BYTES}}
               TO CLIENT SCHEMA event {MODE} INHERIT id SET origin = relay_state.states.at AS STRING {TAIL} {LOG} COMMIT;"
        ),
        &world(),
    );
    let definition = emitter(&catalog, "e");
    let Resolution::Default(values) = &definition.dependencies[0].resolution else {
        panic!()
    };
    assert_eq!(values[0], nspl_model::Literal::DateTime(1_000_000_000));
    assert_eq!(values[1], nspl_model::Literal::Bytes(b"x".to_vec()));
    assert!(values[2].is_null());
    assert_eq!(
        values[3],
        nspl_model::Literal::List(vec![nspl_model::Literal::String("a".into())])
    );
}

#[test]
fn a_domain_alone_comes_back_with_its_pacing() {
    let texts = ["CREATE PACED DOMAIN p WITH PERIOD 2s SKEW 1s;"];
    match definition("p", &texts).unwrap() {
        Definition::Domain(domain) => assert_ne!(domain.pacing, nspl_model::Pacing::Unpaced),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_dimensions_of_a_type_are_bounded_together_wherever_it_is_written() {
    let axes = ", 1".repeat(65);
    for of in [
        "ARRAY<I64, 2147483647, 2147483647, 2147483647>",
        "ARRAY<VEC<ARRAY<I8, 1024>>, 1025>",
        &format!("ARRAY<I64{axes}>"),
    ] {
        for text in [
            format!("CREATE SCHEMA s (a {of} OPTIONAL);"),
            format!("ALTER SCHEMA failure ADD FIELD a {of} OPTIONAL;"),
            format!("ALTER SCHEMA failure ALTER FIELD reason SET TYPE {of};"),
        ] {
            assert_eq!(codes(&check(&text, &world())), ["E1010"], "{text}");
        }
    }
    accepted(
        "ALTER SCHEMA failure ADD FIELD a ARRAY<ARRAY<I64, 1024>, 1024> OPTIONAL;",
        &world(),
    );
}

#[test]
fn what_is_warned_about_has_its_definition_and_is_read_back() {
    let text = format!(
        "CREATE EMITTER e FROM events WHERE note = NULL TO CLIENT SCHEMA event {MODE}
         INHERIT id, origin WHERE input.note != NULL {TAIL} {LOG}"
    );
    let checked = check(&text, &world());
    assert_eq!(codes(&checked), ["W1004", "W1004"]);
    let catalog = checked.plan.catalog;
    let stored = emitter(&catalog, "e");
    let entities = catalog.entities("d");
    let statements = catalog.domain_entity("d").into_iter().chain(&entities);
    let restored = restore(statements.map(|entity| ("d", &*entity.text))).unwrap();
    assert_eq!(emitter(&restored, "e"), stored);
    let closure = catalog.closure("d", &EntityKey::new(EntityKind::Emitter, "e"));
    let texts: Vec<&str> = closure.iter().map(|entity| &*entity.text).collect();
    assert_eq!(definition("d", &texts).unwrap(), Definition::Emitter(stored));
}
