//! Which values of CONFIG are secret and how they are shown (rulings section 8, companion section 13).
//!
//! A secret key shows `***` in place of its value; of an address, the user information and the values of parameters are
//! hidden, whatever their names: drivers take passwords, tokens and signatures there. A key of an unknown kind is secret
//! when any kind says so: showing too little is the safe side. [`secrets`] alone knows what is secret of a value; SHOW
//! CREATE, excerpts of diagnostics, histories and the checker ask it.

use std::ops::Range;

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
            "sasl.oauthbearer.client.credentials.client.secret",
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

/// The parameters of addresses whose values are words of the drivers or names: they tell how a connection is made, and
/// nobody can keep a secret in them.
const OPEN_PARAMETERS: [&str; 6] = [
    "sslmode",
    "tls",
    "replicaSet",
    "authSource",
    "authMechanism",
    "directConnection",
];

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

/// What is shown in place of a value; none when nothing of it is secret.
#[must_use]
pub fn masked(kind: Option<&str>, key: &str, value: &Expr) -> Option<String> {
    match &value.kind {
        ExprKind::Text(text) => {
            let hidden = secrets(kind, key, text);
            (!hidden.is_empty()).then(|| with_masks(text, &hidden))
        }
        _ => is_secret(kind, key).then(|| MASK.to_owned()),
    }
}

/// Whether what SHOW CREATE shows in place of a secret stands where the secret belongs.
#[must_use]
pub fn is_masked(kind: Option<&str>, key: &str, text: &str) -> bool {
    let is_mask = |range| {
        let hidden: &str = text.get(range).unwrap_or_default();
        // Of an address the password alone, or the user: what was shown is `***@`.
        let (user, password) = hidden.split_once(':').unwrap_or((hidden, hidden));
        hidden == MASK || (!is_secret(kind, key) && (user == MASK || password == MASK))
    };
    secrets(kind, key, text).into_iter().any(is_mask)
}

/// What is secret of the text of a value, in order, in bytes: all of it, or parts of an address.
#[must_use]
pub fn secrets(kind: Option<&str>, key: &str, text: &str) -> Vec<Range<usize>> {
    if is_secret(kind, key) {
        return std::iter::once(0..text.len()).collect();
    }
    let mut found = Vec::new();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    let begin = scheme.map_or(0, |scheme| scheme.len() + "://".len());
    let holds_user = scheme.is_none_or(|scheme| !CONTAINER_SCHEMES.contains(&scheme));
    let user = text.get(begin..).filter(|_| holds_user).and_then(user_length);
    let host = begin + user.unwrap_or(0);
    if scheme.is_some_and(is_scheme) {
        found.extend((host > begin).then_some(begin..host));
        parameters(text, host, &mut found);
    } else if let Some(pair) = text.find('=').filter(|pair| *pair < host) {
        // The name of a pair stands before the scheme: `url=amqp://u:p@h`.
        found.push(pair + 1..text.len());
    } else {
        found.extend((host > begin).then_some(begin..host));
        found.extend(value_after(text, host, text.len()));
    }
    found.retain(|range| !range.is_empty());
    found
}

fn with_masks(text: &str, hidden: &[Range<usize>]) -> String {
    let mut shown = String::new();
    let mut from = 0;
    for range in hidden {
        shown.push_str(text.get(from..range.start).unwrap_or_default());
        shown.push_str(MASK);
        from = range.end;
    }
    shown + text.get(from..).unwrap_or_default()
}

fn is_scheme(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
    !text.is_empty() && text.chars().all(fits)
}

/// How long the user information is that what stands behind a scheme begins with. Where an `@` may belong to something
/// else, as much as it can be is user information: a password may hold what should have been escaped.
fn user_length(rest: &str) -> Option<usize> {
    let path = rest.find(['?', '#']).unwrap_or(rest.len());
    let before_parameters = rest.get(..path)?;
    let authority = before_parameters.split('/').next()?;
    if authority.contains('@') {
        before_parameters.rfind('@')
    } else {
        rest.rfind('@')
            .filter(|at| rest.get(..*at).is_some_and(|user| user.contains(':')))
    }
}

/// The values of the parameters behind the host of an address. What has no name may be a value.
fn parameters(text: &str, host: usize, found: &mut Vec<Range<usize>>) {
    let mark = text.get(host..).and_then(|rest| rest.find(['?', '#']));
    let end = mark.map_or(text.len(), |mark| host + mark);
    found.extend(value_after(text, host, end));
    let mut from = end + 1;
    for parameter in text.get(from..).into_iter().flat_map(|rest| rest.split('&')) {
        let until = from + parameter.len();
        match parameter.split_once('=') {
            Some((name, _)) if OPEN_PARAMETERS.contains(&name) && !parameter.contains(['#', ';']) => {}
            Some((name, _)) => found.push(from + name.len() + 1..until),
            None => found.push(from..until),
        }
        from = until + 1;
    }
}

/// What stands behind the first `=`.
fn value_after(text: &str, from: usize, end: usize) -> Option<Range<usize>> {
    let pair = text.get(from..end)?.find('=')?;
    Some(from + pair + 1..end)
}

#[cfg(test)]
mod tests {
    use super::{MASK, is_masked, is_secret, secrets, with_masks};

    #[test]
    fn secret_keys_follow_their_kind_and_unknown_kinds_hide_more() {
        assert!(is_secret(Some("KAFKA"), "sasl.password") && !is_secret(Some("KAFKA"), "token"));
        assert!(is_secret(Some("NEW"), "token") && is_secret(None, "Password") && !is_secret(None, "addr"));
        assert!(is_secret(
            Some("KAFKA"),
            "sasl.oauthbearer.client.credentials.client.secret"
        ));
    }

    #[test]
    fn user_and_parameters_of_an_address_are_hidden() {
        for (address, shown) in [
            ("amqp://u:p@h:1/v", "amqp://***@h:1/v"),
            ("redis://:p@h", "redis://***@h"),
            ("https://token@h", "https://***@h"),
            ("mongodb://u:p/q@h/db", "mongodb://***@h/db"),
            ("amqp://u:p@ss/w@h/v", "amqp://***@h/v"),
            ("amqp://u:p?x@h/v", "amqp://***@h/v"),
            ("amqp://u:p#x@h/v", "amqp://***@h/v"),
            ("http://h:1/?password=x", "http://h:1/?password=***"),
            ("https://h/b?sig=a%3D&se=1#f", "https://h/b?sig=***&se=***"),
            ("https://h/?token=a=b&c", "https://h/?token=***&***"),
            ("https://h/#x", "https://h/#***"),
            ("amqp://h/v;password=x", "amqp://h/v;password=***"),
            (
                "postgres://u:p@h/db?sslmode=disable&password=x",
                "postgres://***@h/db?sslmode=disable&password=***",
            ),
            (
                "postgres://h/db?sslmode=disable;a=b&c=d",
                "postgres://h/db?sslmode=***&c=***",
            ),
            (
                "mongodb://h/db?authMechanismProperties=AWS_SESSION_TOKEN:x,A:b&tls=true",
                "mongodb://h/db?authMechanismProperties=***&tls=true",
            ),
            ("u:p@h:1", "***@h:1"),
            ("host=h user=u password=x", "host=***"),
            (
                "jdbc:postgresql://h/db?password=x",
                "jdbc:postgresql://h/db?password=***",
            ),
            ("Endpoint=sb://h/;SharedAccessKey=x", "Endpoint=***"),
        ] {
            assert_eq!(with_masks(address, &secrets(None, "addr", address)), shown);
            assert!(is_masked(None, "addr", shown), "{shown}");
            assert!(!is_masked(None, "addr", address), "{address}");
        }
        for half in ["amqp://u:***@h", "amqp://***:p@h", "u:***@h:1"] {
            assert!(is_masked(None, "addr", half), "{half}");
        }
        assert!(!is_masked(None, "token", "a:***"));
        for open in [
            "https://h/a@b",
            "wasbs://container@account/path",
            "h:1",
            "a:1,b:2",
            "{{ tls }}/ca.pem",
            "mongodb+srv://h/db?tls=true",
            "https://h/?",
            "",
        ] {
            assert!(secrets(None, "addr", open).is_empty(), "{open}");
        }
        assert_eq!(with_masks("abc", &secrets(None, "token", "abc")), MASK);
    }
}
