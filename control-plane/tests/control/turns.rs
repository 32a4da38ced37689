//! Large scripts beside the calls of others.

use nervix_proto::v1::ValidateRequest;
use tokio::{task::JoinSet, time::timeout};

use crate::harness::{BOUND, Control, Outcome};

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
