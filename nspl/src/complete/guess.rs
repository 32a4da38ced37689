//! What probably belongs at the cursor where the grammar cannot tell, because the statement is wrong before: read from
//! the word or mark directly before.

use super::scene::{Clause, Scene};

/// The grammar's description of the place, or nothing.
pub(super) fn label(scene: &Scene<'_>) -> Vec<&'static str> {
    let Some(last) = scene.back(1) else {
        return Vec::new();
    };
    let reads = !matches!(
        scene.clause,
        Clause::Other | Clause::Sources | Clause::Config | Clause::Default
    );
    let lists = matches!(
        scene.clause,
        Clause::Set | Clause::ErrorSet | Clause::BranchSet | Clause::Inherit | Clause::Except
    );
    let found = match scene.word_back(1).as_str() {
        "" => match last.text {
            "." => "a field name",
            "," if lists => "a field name",
            "," if scene.clause == Clause::Sources => "a relay name",
            "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" | "(" | ","
                if reads =>
            {
                "an expression"
            }
            "{" => "a quoted key",
            "," if matches!(scene.clause, Clause::Config | Clause::Default) => "a quoted key",
            _ => return Vec::new(),
        },
        "WHERE" | "AND" | "OR" | "NOT" | "IF" | "CASE" | "WHEN" | "THEN" | "ELSE" if reads => "an expression",
        "SET" | "INHERIT" | "EXCEPT" if lists => "a field name",
        "FROM" | "STATE" => "a relay name",
        "SCHEMA" => "a schema name",
        "USING" => "a codec name",
        "BY" => "a branch name",
        "USE" => "a domain name",
        "MOUNT" => "a resource name",
        "TYPE" => "a kind of client",
        "EACH" | "BACKOFF" | "TIMEOUT" => "a duration such as 250ms",
        "SIZE" => "a size such as 1MiB",
        _ => return Vec::new(),
    };
    vec![found]
}
