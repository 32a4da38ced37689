//! Large scripts beside the calls of others.

use nervix_proto::v1::ValidateRequest;
use tokio::{task::JoinSet, time::timeout};

use crate::harness::{BOUND, Control, Outcome, emitter};

/// What is judged while this test's only thread serves another call.
#[tokio::test]
async fn a_large_script_does_not_keep_others_from_being_answered() -> Outcome {
    let mut control = Control::in_memory().await?;
    let mut client = control.client.clone();
    let schemas: String = (0..20_000)
        .map(|at| format!("CREATE SCHEMA s{at} (a I64);"))
        .collect();
    let mut large = JoinSet::new();
    large.spawn(async move {
        let request = ValidateRequest {
            script: format!("CREATE DOMAIN d; USE d; BEGIN; {schemas} COMMIT;"),
            ..ValidateRequest::default()
        };
        client.validate(request).await
    });
    // It is in the hands of the server when its call is answered after others that came later.
    let mut passed = 0;
    while large.try_join_next().is_none() {
        timeout(BOUND, control.ok("", "SHOW DOMAINS;")).await??;
        passed += 1;
    }
    assert!(passed > 10, "{passed} were answered before it");
    Ok(())
}

/// A small script of large patterns, none of which stands in another: to judge it takes seconds.
fn costly(number: usize) -> String {
    let patterns: Vec<String> = (0..120)
        .map(|at| format!("regexp_like(input.origin, '[\\pL\\pN]{{60}}{number}x{at}')"))
        .collect();
    let emitter = emitter("costly", "FLUSH IMMEDIATE");
    emitter.replace("FROM r", &format!("FROM r WHERE {}", patterns.join(" AND ")))
}

#[tokio::test]
async fn small_scripts_of_costly_patterns_do_not_keep_others_from_being_answered() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut judged = JoinSet::new();
    for number in 0..8 {
        let mut client = control.client.clone();
        let request = ValidateRequest {
            script: costly(number),
            domain: "d".into(),
            ..ValidateRequest::default()
        };
        judged.spawn(async move { client.validate(request).await });
    }
    for number in 0..20 {
        timeout(BOUND, control.ok("d", "SHOW RELAYS;")).await??;
        timeout(BOUND, control.ok("d", "STOP;")).await??;
        timeout(BOUND, control.ok("d", "START;")).await??;
        timeout(
            BOUND,
            control.ok("d", &format!("CREATE SCHEMA other{number} (a I8);")),
        )
        .await??;
        assert!(judged.try_join_next().is_none(), "one was waited for");
    }
    Ok(())
}
