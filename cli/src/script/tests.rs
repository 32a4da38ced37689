//! What a person reads of an answer.

use nervix_client::{ChangeClass, StatementReply, StatementStatus};

use super::result;

fn reply(statement: &str, class: Option<ChangeClass>) -> StatementReply {
    StatementReply {
        status: StatementStatus::Ok,
        statement: statement.to_owned(),
        message: "ok".to_owned(),
        change_class: class,
        table: None,
    }
}

#[test]
fn the_class_that_ran_is_named_whatever_the_statement_says() {
    let dropped = reply("DROP BRANCH b", Some(ChangeClass::DomainPause));
    assert_eq!(result(&dropped), "ok: DROP BRANCH b (DOMAIN_PAUSE)\n");
    let altered = reply("ALTER EMITTER e", Some(ChangeClass::None));
    assert_eq!(result(&altered), "ok: ALTER EMITTER e (NONE)\n");
    let created = reply("CREATE RELAY r", Some(ChangeClass::None));
    assert_eq!(result(&created), "ok: CREATE RELAY r\n");
}
