//! The keys of CONFIG on the page of CREATE CLIENT, written from the table that the checker reads.

use std::fmt::Write;

use nspl::model::{ClientKey, ClientKind, KeyShape, TlsWhen};
use nspl_syntax::client::secret::is_secret;

use crate::golden::{Golden, read};

const PAGE: &str = "docs/reference/statements/create-client.md";

/// Between these lines of the page stands what is written here.
const BEGIN: &str = "<!-- The keys: written from the code by `make docs`. -->\n";
const END: &str = "<!-- The end of the keys. -->\n";

/// Properties of librdkafka that are listed: those that Nervix owns, and those that are secret.
fn kafka(kind: ClientKind) -> String {
    let names = kind.key_names();
    let listed = |holds: &dyn Fn(&str) -> bool| -> String {
        let names = names.iter().filter(|name| holds(name));
        names
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    format!(
        "Besides, any of the {} global, producer and consumer properties of librdkafka by its exact name, with a string, a number \
         or a boolean; not {}, which Nervix sets. Secret are {}.\n\n",
        names.len(),
        listed(&|name| kind.owns(name)),
        listed(&|name| is_secret(Some(kind.name()), name)),
    )
}

fn takes(key: &ClientKey) -> String {
    let quoted = |words: &[&str]| {
        words
            .iter()
            .map(|word| format!("`'{word}'`"))
            .collect::<Vec<_>>()
            .join(" or ")
    };
    let schemes = |schemes: &[&str]| {
        let schemes = schemes.iter().map(|scheme| format!("`{scheme}://`"));
        schemes.collect::<Vec<_>>().join(" or ")
    };
    match key.shape {
        KeyShape::Text => "a string".to_owned(),
        KeyShape::Positive => "a whole number of at least 1".to_owned(),
        KeyShape::Whole => "a whole number of at least 0".to_owned(),
        KeyShape::Bool => "`true` or `false`".to_owned(),
        KeyShape::OneOf(words) => quoted(words),
        KeyShape::Address(known) => format!("a URL, {}", schemes(known)),
        KeyShape::Origin(known) => format!("scheme, host and port of a URL alone, {}", schemes(known)),
        KeyShape::HeaderList => "`key=value`, separated by commas".to_owned(),
        KeyShape::HostPort => "`host:port`".to_owned(),
        KeyShape::File => "the path of a file".to_owned(),
    }
}

fn secret(kind: ClientKind, key: &ClientKey) -> &'static str {
    match key.shape {
        _ if is_secret(Some(kind.name()), key.name) => "yes",
        KeyShape::Address(_) => "its user and password",
        _ => "",
    }
}

fn rules(kind: ClientKind) -> String {
    let shape = kind.shape();
    let mut rules = Vec::new();
    for (one, other) in shape.pairs {
        rules.push(format!("`{one}` and `{other}` stand together."));
    }
    if !shape.alternatives.is_empty() {
        let keys: Vec<String> = shape.alternatives.iter().map(|key| format!("`{key}`")).collect();
        rules.push(format!("At most one of {} stands.", keys.join(", ")));
    }
    if let Some(when) = shape.tls {
        rules.push(match when {
            TlsWhen::Scheme(key, schemes) => {
                format!("TLS files need `{key}` with `{}://`.", schemes.join("://` or `"))
            }
            TlsWhen::Parameter(key, (name, value), _) => {
                format!("TLS files need `{name}={value}` in `{key}`.")
            }
            TlsWhen::Value(key, value) => format!("TLS files need `'{key}' = '{value}'`."),
        });
    }
    if shape.pool {
        rules.push("POOL SIZE is required.".to_owned());
    }
    match rules.is_empty() {
        true => String::new(),
        false => rules.join(" ") + "\n\n",
    }
}

fn keys() -> String {
    let mut text = String::new();
    for kind in ClientKind::all() {
        _ = writeln!(
            text,
            "### {kind}\n\n| key | required | secret | takes |\n|---|---|---|---|"
        );
        for key in kind.shape().keys {
            let required = if key.required { "yes" } else { "" };
            let row = [key.name, required, secret(kind, key), &takes(key)].join(" | ");
            _ = writeln!(text, "| {row} |");
        }
        text.push('\n');
        text.push_str(&rules(kind));
        if kind == ClientKind::Kafka {
            text.push_str(&kafka(kind));
        }
    }
    text
}

#[test]
fn the_page_of_clients_lists_their_keys() {
    let page = read(PAGE);
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let mut golden = Golden::default();
    golden.file(PAGE, &format!("{before}{BEGIN}\n{}{END}{after}", keys()));
    golden.check();
}
