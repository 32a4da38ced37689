//! Scripts: transactions, conditions, refusals, reading statements.

use std::sync::Arc;

use nervix_proto::v1::{ListEntitiesRequest, ValidateRequest, statement_result::Status};
use nervix_store::EmbeddedStore;

use crate::harness::{Control, GRAPH, Outcome, RESOURCE, emitter};

#[tokio::test]
async fn a_script_answers_every_statement_and_the_domain_it_ends_in() -> Outcome {
    let mut control = Control::in_memory().await?;
    let answer = control.ok("", GRAPH).await?;
    assert_eq!(answer.domain, "d");
    let statements: Vec<_> = answer
        .results
        .iter()
        .map(|result| result.statement.as_str())
        .collect();
    assert_eq!(
        statements,
        [
            "CREATE DOMAIN d",
            "USE d",
            "CREATE SCHEMA s",
            "CREATE RELAY r",
            "CREATE INGESTOR i",
            "CREATE EMITTER e",
            "START"
        ]
    );
    assert_eq!(control.handle.catalog().len(), 5);
    assert!(control.handle.ready());
    assert!(
        control.handle.metrics().contains("nervix_control_entities 5"),
        "{}",
        control.handle.metrics()
    );
    Ok(())
}

#[tokio::test]
async fn one_fault_refuses_the_whole_script_and_all_faults_are_told() -> Outcome {
    let mut control = Control::in_memory().await?;
    let script = "CREATE DOMAIN d;\nUSE d;\nCREATE RELAY r SCHEMA nope UNBRANCHED;\nCREATE NONSENSE x;\n";
    let answer = control.run("", script).await?;
    assert!(answer.results.is_empty(), "{:?}", answer.results);
    assert!(answer.diagnostics.len() >= 2, "{:?}", answer.diagnostics);
    let places: Vec<_> = answer
        .diagnostics
        .iter()
        .filter_map(|found| found.span.as_ref())
        .map(|span| span.line)
        .collect();
    assert!(places.contains(&3) && places.contains(&4), "{places:?}");
    assert!(
        answer
            .diagnostics
            .iter()
            .all(|found| !found.code.is_empty() && found.rendered.contains("test.nspl"))
    );
    assert_eq!(control.handle.revision(), 0);
    Ok(())
}

#[tokio::test]
async fn a_transaction_takes_effect_as_one_revision_or_not_at_all() -> Outcome {
    let mut control = Control::in_memory().await?;
    control.ok("", "CREATE DOMAIN d;").await?;
    let before = control.handle.revision();
    let refused = control
        .refused("d", "BEGIN; CREATE RELAY r SCHEMA s UNBRANCHED; CREATE RELAY q SCHEMA t UNBRANCHED; CREATE SCHEMA s (a I64); COMMIT;")
        .await?;
    assert!(refused.contains('t'), "{refused}");
    assert_eq!(control.handle.revision(), before);
    control
        .ok(
            "d",
            "BEGIN; CREATE RELAY r SCHEMA s UNBRANCHED; CREATE SCHEMA s (a I64); COMMIT;",
        )
        .await?;
    assert_eq!(control.handle.revision(), before + 1);
    control
        .ok("d", "BEGIN; DROP SCHEMA s; DROP RELAY r; REVERT;")
        .await?;
    assert_eq!(control.handle.revision(), before + 1);
    Ok(())
}

#[tokio::test]
async fn if_not_exists_changes_nothing_and_warns_when_it_differs() -> Outcome {
    let mut control = Control::in_memory().await?;
    control
        .ok("", "CREATE DOMAIN d; USE d; CREATE SCHEMA s (a I64);")
        .await?;
    let before = control.handle.revision();
    let same = control.ok("d", "CREATE IF NOT EXISTS SCHEMA s (a I64);").await?;
    assert_eq!(same.results[0].status(), Status::AlreadyExisted);
    assert_eq!(same.results[0].message, "already_existed");
    assert!(same.diagnostics.is_empty());
    let other = control
        .ok("d", "CREATE IF NOT EXISTS SCHEMA s (a STRING);")
        .await?;
    assert_eq!(other.results[0].status(), Status::AlreadyExisted);
    assert_eq!(other.diagnostics.len(), 1, "{:?}", other.diagnostics);
    assert_eq!(other.diagnostics[0].code, nspl::ALREADY_DIFFERS);
    assert_eq!(control.handle.revision(), before);
    Ok(())
}

#[tokio::test]
async fn what_is_in_use_is_not_dropped_and_both_ends_are_named() -> Outcome {
    let mut control = Control::with_graph().await?;
    let refused = control.refused("d", "DROP RELAY r;").await?;
    assert!(
        refused.contains("RELAY r") && refused.contains("EMITTER e"),
        "{refused}"
    );
    let refused = control.refused("", "DROP DOMAIN d;").await?;
    assert!(refused.contains('d'), "{refused}");
    control
        .ok(
            "d",
            "BEGIN; DROP RELAY r; DROP EMITTER e; DROP INGESTOR i; DROP SCHEMA s; COMMIT;",
        )
        .await?;
    let refused = control.refused("", "DROP DOMAIN d;").await?;
    assert!(refused.contains("E3006") && refused.contains("STOP"), "{refused}");
    control.ok("d", "STOP;").await?;
    control.ok("", "DROP DOMAIN d;").await?;
    assert!(control.handle.catalog().is_empty());
    Ok(())
}

#[tokio::test]
async fn validate_says_what_would_happen_and_does_nothing() -> Outcome {
    let mut control = Control::in_memory().await?;
    let request = ValidateRequest {
        script: GRAPH.into(),
        ..ValidateRequest::default()
    };
    let answer = control.client.validate(request).await?.into_inner();
    assert!(answer.diagnostics.is_empty(), "{:?}", answer.diagnostics);
    assert_eq!(answer.results.len(), 7);
    assert_eq!(control.handle.revision(), 0);
    Ok(())
}

#[tokio::test]
async fn reading_statements_answer_text_and_rows() -> Outcome {
    let mut control = Control::with_graph().await?;
    let answer = control
        .ok(
            "d",
            "SHOW EMITTERS; SHOW CREATE EMITTER e; DESCRIBE RELAY r; DESCRIBE DOMAIN; SHOW CLUSTER STATUS;",
        )
        .await?;
    let [list, create, relay, domain, cluster] = &answer.results[..] else {
        panic!("{:?}", answer.results)
    };
    assert_eq!(list.message, "name\ne");
    assert!(
        create.message.starts_with("CREATE ") && create.message.contains("ACK TIMEOUT 30s"),
        "{}",
        create.message
    );
    assert!(
        relay.message.contains("relay: r\n") && relay.message.contains("used by: INGESTOR i, EMITTER e"),
        "{}",
        relay.message
    );
    assert!(domain.message.contains("state: running"), "{}", domain.message);
    assert!(
        cluster
            .table
            .as_ref()
            .is_some_and(|table| table.columns.contains(&"executes".to_owned()))
    );
    let row = create
        .table
        .as_ref()
        .and_then(|table| table.rows.first())
        .ok_or("no row")?;
    assert_eq!(row.cells[..2], ["EMITTER", "e"]);
    Ok(())
}

#[tokio::test]
async fn what_show_create_prints_makes_the_same_entity_again() -> Outcome {
    let mut control = Control::with_graph().await?;
    let list = ListEntitiesRequest {
        domain: "d".into(),
        kind: String::new(),
    };
    let before = control
        .client
        .list_entities(list.clone())
        .await?
        .into_inner()
        .entities;
    let mut again = Control::in_memory().await?;
    again.ok("", "CREATE DOMAIN d;").await?;
    let statements: Vec<_> = before
        .iter()
        .filter(|entity| entity.kind != "DOMAIN")
        .map(|entity| entity.statement.as_str())
        .collect();
    let script = format!(
        "BEGIN;\n{}\nCOMMIT;",
        statements
            .iter()
            .map(|text| format!("{};", text.trim_end().trim_end_matches(';')))
            .collect::<Vec<_>>()
            .join("\n")
    );
    again.ok("d", &script).await?;
    let after = again.client.list_entities(list).await?.into_inner().entities;
    let texts = |entities: &[nervix_proto::v1::Entity]| {
        entities
            .iter()
            .map(|entity| entity.statement.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(&before), texts(&after));
    Ok(())
}

#[tokio::test]
async fn two_thousand_statements_commit_as_one() -> Outcome {
    let mut control = Control::in_memory().await?;
    control.ok("", "CREATE DOMAIN d; USE d; BEGIN; CREATE SCHEMA s (id I64, origin STRING); CREATE RELAY r SCHEMA s UNBRANCHED; COMMIT;").await?;
    let statements: String = (0..2000)
        .map(|n| emitter(&format!("e{n}"), "FLUSH IMMEDIATE"))
        .collect();
    let answer = control.ok("d", &format!("BEGIN; {statements} COMMIT;")).await?;
    assert_eq!(answer.results.len(), 2000);
    assert_eq!(control.handle.catalog().len(), 2003);
    Ok(())
}

#[tokio::test]
async fn an_upload_in_a_script_is_refused_with_the_way_to_do_it() -> Outcome {
    let mut control = Control::with_resource().await?;
    let refused = control
        .refused(
            "d",
            "UPLOAD RESOURCE files VERSION './x'; CREATE SCHEMA s (a I64);",
        )
        .await?;
    assert!(refused.contains("nervix apply"), "{refused}");
    let answer = control
        .run(
            "d",
            "UPLOAD RESOURCE files VERSION './x'; CREATE SCHEMA s (a I64);",
        )
        .await?;
    let statuses: Vec<_> = answer.results.iter().map(|result| result.status()).collect();
    assert_eq!(statuses, [Status::Refused, Status::NotRun]);
    Ok(())
}

/// The shape of a cluster: workers are on other machines than whoever writes scripts.
#[tokio::test]
async fn files_outside_of_mounts_are_refused_where_workers_have_those_of_mounts_alone() -> Outcome {
    let store = || EmbeddedStore::in_memory().map(Arc::new);
    let client = |name: &str, path: &str| {
        format!(
            "CREATE CLIENT {name} TYPE NATS MOUNT files VERSION LATEST
               CONFIG {{'addr' = 'tls://h', 'tls_ca_file' = '{path}'}};"
        )
    };
    let mut cluster = Control::with(store()?, |mut options| {
        options.mounts_only = true;
        options
    })
    .await?;
    cluster.ok("", RESOURCE).await?;
    for path in ["/etc/ca.pem", "ca.pem", "{{ files }}/../ca.pem"] {
        let refused = cluster.refused("d", &client("c", path)).await?;
        assert!(refused.contains("E1411"), "{path}: {refused}");
        let dry = ValidateRequest {
            script: client("c", path),
            domain: "d".into(),
            ..ValidateRequest::default()
        };
        let dry = cluster.client.validate(dry).await?.into_inner();
        assert!(
            dry.diagnostics.iter().any(|found| found.code == "E1411"),
            "{path}: {dry:?}"
        );
    }
    cluster.ok("d", &client("c", "{{ files }}/ca.pem")).await?;
    let altered = "ALTER CLIENT c SET CONFIG {'addr' = 'tls://h', 'tls_ca_file' = '/etc/ca.pem'};";
    let refused = cluster.refused("d", altered).await?;
    assert!(refused.contains("E1411"), "{refused}");

    let mut alone = Control::on(store()?).await?;
    alone.ok("", RESOURCE).await?;
    alone.ok("d", &client("c", "/etc/ca.pem")).await?;
    Ok(())
}
