//! The keys of CONFIG on the page of CREATE CLIENT, written from the table that the checker reads.

use std::fmt::Write;

use nspl::model::{BondTakes, ClientKey, ClientKind, KeyShape, TlsWhen};
use nspl_syntax::client::secret::is_secret;

use crate::golden::{Golden, read};

const PAGE: &str = "docs/reference/statements/create-client.md";

/// What the keys of TLS are called.
const TLS_KEYS: &str = "Keys that begin with `tls_`";

const TLS_CA: &str = "tls_ca_file";

/// Between these lines of the page stands what is written here.
const BEGIN: &str = "<!-- The keys: written from the code by `make docs`. -->\n";
const END: &str = "<!-- The end of the keys. -->\n";

/// Of the properties of librdkafka those that are secret, and those that Nervix owns.
fn passed_on(kind: ClientKind) -> String {
    let quoted = |names: Vec<&str>| {
        let names = names.into_iter().map(|name| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let shape = kind.shape();
    let names: Vec<&str> = shape.passed_on().collect();
    let is_hidden = |name: &&str| is_secret(Some(kind.name()), name);
    format!(
        "Besides, any of the {} other global, producer and consumer properties of librdkafka by its exact name, with a string, \
         a number or a boolean; not {}, which Nervix sets, and not {}, which run commands or load code on workers. Secret are {}.\n\n",
        names.len(),
        quoted(shape.owned.to_vec()),
        quoted(shape.foreign_code.to_vec()),
        quoted(names.into_iter().filter(is_hidden).collect()),
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
        KeyShape::AddressWith(known, (parameter, values)) => {
            let values = values.iter().map(|value| format!("`{parameter}={value}`"));
            let values = values.collect::<Vec<_>>().join(" or ");
            format!("a URL, {}, with {values}", schemes(known))
        }
        KeyShape::Project(known) => format!("a URL, {}, with the key and the project", schemes(known)),
        KeyShape::Origin(known) => format!("scheme, host and port of a URL alone, {}", schemes(known)),
        KeyShape::HeaderList => "`key=value`, separated by commas".to_owned(),
        KeyShape::HostPort => "`host:port`".to_owned(),
        KeyShape::File => "the path of a file".to_owned(),
    }
}

fn secret(kind: ClientKind, key: &ClientKey) -> &'static str {
    match key.shape {
        _ if is_secret(Some(kind.name()), key.name) => "yes",
        KeyShape::Address(_) | KeyShape::AddressWith(..) => {
            "its user and password, the values of its parameters"
        }
        _ => "",
    }
}

fn rules(kind: ClientKind) -> String {
    let shape = kind.shape();
    let mut rules = Vec::new();
    for (one, other) in shape.pairs {
        rules.push(format!("`{one}` and `{other}` stand together."));
    }
    for (key, needed) in shape.needs {
        rules.push(format!("`{key}` needs `{needed}`."));
    }
    if !shape.alternatives.is_empty() {
        let keys: Vec<String> = shape.alternatives.iter().map(|key| format!("`{key}`")).collect();
        rules.push(format!("At most one of {} stands.", keys.join(", ")));
    }
    if let Some(when) = shape.tls {
        rules.push(match when {
            TlsWhen::Scheme(key, schemes) => {
                format!("{TLS_KEYS} need `{key}` with `{}://`.", schemes.join("://` or `"))
            }
            TlsWhen::Parameter(key, (name, value), _) => {
                format!("{TLS_KEYS} need `{name}={value}` in `{key}`.")
            }
            TlsWhen::Value(key, value) => format!("{TLS_KEYS} need `'{key}' = '{value}'`."),
        });
    }
    if shape.tls_needs_ca {
        rules.push(format!("TLS needs `{TLS_CA}`."));
    }
    for bond in shape.between {
        let (key, value) = bond.when;
        let takes = match bond.takes {
            BondTakes::Word(word) => format!("`'{word}'` alone"),
            BondTakes::AtMost(most) => format!("at most {most}"),
        };
        rules.push(format!(
            "With `'{key}' = '{value}'`, `{}` takes {takes}.",
            bond.key
        ));
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
        if kind.shape().passed_on().next().is_some() {
            text.push_str(&passed_on(kind));
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
