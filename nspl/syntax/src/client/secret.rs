//! Which values of CONFIG are secret and how they are shown (rulings section 8, companion section 13).
//!
//! A secret key shows `***` in place of its value; of an address, only its user information is hidden. A key of an
//! unknown kind is secret when any kind says so: showing too little is the safe side.

use crate::expression::{Expr, ExprKind};

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// The secret keys by kind of client.
const SECRETS: [(&str, &[&str]); 14] = [
    (
        "KAFKA",
        &[
            "sasl.password",
            "ssl.key.password",
            "ssl.key.pem",
            "ssl.keystore.password",
            "sasl.oauthbearer.config",
            "sasl.oauthbearer.client.secret",
            "sasl.oauthbearer.assertion.private.key.passphrase",
            "sasl.oauthbearer.assertion.private.key.pem",
        ],
    ),
    ("PULSAR", &["token"]),
    ("REDIS", &["password"]),
    ("MQTT", &["password"]),
    ("NATS", &["password", "token"]),
    ("SQS", &["secret_access_key", "session_token"]),
    ("SENTRY", &["dsn"]),
    ("OTEL", &["headers"]),
    ("HTTP", &["password", "token"]),
    ("CLICKHOUSE", &["password"]),
    ("S3", &["secret_access_key", "session_token"]),
    ("GCS", &["token", "credential"]),
    ("AZURE_BLOB", &["account_key", "sas_token"]),
    ("ICEBERG_REST", &["token", "credential"]),
];

/// The schemes whose addresses hold a container, not a user, before the `@`.
const CONTAINER_SCHEMES: [&str; 4] = ["wasb", "wasbs", "abfs", "abfss"];

/// Whether the value of a key is a secret; `kind` is the word behind TYPE in upper case, none where there is no kind.
#[must_use]
pub fn is_secret(kind: Option<&str>, key: &str) -> bool {
    let known = kind.and_then(|kind| SECRETS.iter().find(|(name, _)| *name == kind));
    match known {
        Some((_, keys)) => keys.iter().any(|secret| secret.eq_ignore_ascii_case(key)),
        None => SECRETS
            .iter()
            .any(|(_, keys)| keys.iter().any(|secret| secret.eq_ignore_ascii_case(key))),
    }
}

/// What is shown in place of a value; none when the value is no secret.
#[must_use]
pub fn masked(kind: Option<&str>, key: &str, value: &Expr) -> Option<String> {
    if is_secret(kind, key) {
        return Some(MASK.to_owned());
    }
    match &value.kind {
        ExprKind::Text(text) => without_user(text),
        _ => None,
    }
}

/// An address with its user information masked; none when it has none.
fn without_user(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    if CONTAINER_SCHEMES.contains(&scheme) {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // A password may hold an unescaped slash; hiding up to the last @ is the safe side.
    let (user, host) = match rest.get(..end)?.rsplit_once('@') {
        Some(_) => rest.split_at_checked(rest.get(..end)?.rfind('@')?)?,
        None => rest
            .rsplit_once('@')
            .filter(|(user, _)| user.contains(':'))
            .and_then(|_| {
                let at = rest.rfind('@')?;
                rest.split_at_checked(at)
            })?,
    };
    (!user.is_empty()).then(|| format!("{scheme}://{MASK}{host}"))
}

#[cfg(test)]
mod tests {
    use super::{is_secret, without_user};

    #[test]
    fn secret_keys_follow_their_kind_and_unknown_kinds_hide_more() {
        assert!(is_secret(Some("KAFKA"), "sasl.password") && !is_secret(Some("KAFKA"), "token"));
        assert!(is_secret(Some("NEW"), "token") && is_secret(None, "Password") && !is_secret(None, "addr"));
    }

    #[test]
    fn user_information_of_an_address_is_hidden() {
        assert_eq!(
            without_user("amqp://u:p@h:1/v").as_deref(),
            Some("amqp://***@h:1/v")
        );
        assert_eq!(without_user("redis://:p@h").as_deref(), Some("redis://***@h"));
        assert_eq!(
            without_user("mongodb://u:p/q@h/db?x=1").as_deref(),
            Some("mongodb://***@h/db?x=1")
        );
        assert_eq!(without_user("https://h/a@b"), None);
        assert_eq!(without_user("wasbs://container@account/path"), None);
        assert_eq!(without_user("h:1"), None);
    }
}
