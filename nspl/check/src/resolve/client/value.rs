//! One value of CONFIG.

use nspl_model::{ClientKind, ConfigValue, KeyShape, http};
use nspl_syntax::Span;
use nspl_syntax::client::ConfigEntry;
use nspl_syntax::client::secret::is_masked;
use nspl_syntax::expression::ExprKind;

use super::address::{self, Address};
use crate::Diagnostic;
use crate::rules;

/// Judges a value by its shape; KAFKA passes on what has none, and takes numbers and booleans as strings, too.
pub(super) fn value(
    entry: &ConfigEntry,
    kind: ClientKind,
    shape: Option<KeyShape>,
) -> Result<ConfigValue, Box<Diagnostic>> {
    let key = entry.key.value.as_str();
    let value = match &entry.value.kind {
        ExprKind::Text(text) => ConfigValue::Text(text.clone()),
        ExprKind::Number(number) => ConfigValue::Number(number.text.clone()),
        ExprKind::Bool(value) => ConfigValue::Bool(*value),
        _ => return Err(Box::new(rules::client_value::no_scalar(entry.value.span, key))),
    };
    if let ConfigValue::Text(text) = &value
        && is_masked(Some(kind.name()), key, text)
    {
        return Err(Box::new(rules::client_masked::fault(entry.value.span, key)));
    }
    let Some(shape) = shape else { return Ok(value) };
    match fits(&value, shape) {
        Ok(()) => Ok(value),
        Err(misfit) => Err(Box::new(misfit.fault(entry.value.span, key))),
    }
}

/// Why a value is none of its key.
enum Misfit {
    /// It takes something else.
    Value(String),
    /// It is no such address.
    Address(String),
    /// The address lacks a parameter with one of these values.
    Unchosen(&'static str, &'static [&'static str]),
    /// The address is that of no project.
    NoProject,
}

impl Misfit {
    fn fault(&self, place: Span, key: &str) -> Diagnostic {
        match self {
            Misfit::Value(takes) => rules::client_value::fault(place, key, takes),
            Misfit::Address(why) => rules::client_address::fault(place, key, why),
            Misfit::Unchosen(parameter, values) => {
                rules::client_address::unchosen(place, key, (parameter, values))
            }
            Misfit::NoProject => rules::client_address::no_project(place, key),
        }
    }
}

fn fits(value: &ConfigValue, shape: KeyShape) -> Result<(), Misfit> {
    let takes = |what: &str| Err(Misfit::Value(what.to_owned()));
    match (shape, value) {
        (KeyShape::Positive, ConfigValue::Number(number)) if number.parse::<u64>().is_ok_and(|n| n > 0) => {
            Ok(())
        }
        (KeyShape::Positive, _) => takes("a whole number of at least 1, without quotes"),
        (KeyShape::Whole, ConfigValue::Number(number)) if number.parse::<u64>().is_ok() => Ok(()),
        (KeyShape::Whole, _) => takes("a whole number of at least 0, without quotes"),
        (KeyShape::Bool, ConfigValue::Bool(_)) => Ok(()),
        (KeyShape::Bool, _) => takes("true or false, without quotes"),
        (KeyShape::OneOf(words), ConfigValue::Text(text)) if words.contains(&text.as_str()) => Ok(()),
        (KeyShape::OneOf(words), _) => takes(&format!("'{}'", words.join("' or '"))),
        (_, ConfigValue::Number(_) | ConfigValue::Bool(_)) => takes("a string"),
        (_, ConfigValue::Text(text)) if text.is_empty() => takes("a string that is not empty"),
        (KeyShape::HeaderList, ConfigValue::Text(text)) if !is_header_list(text) => {
            takes("key=value, separated by commas")
        }
        (shape, ConfigValue::Text(text)) => address_fits(text, shape),
    }
}

/// Whether a text is an address of the shape; a text of another shape fits.
fn address_fits(text: &str, shape: KeyShape) -> Result<(), Misfit> {
    let judge = |schemes| Address::judge(text, schemes).map_err(Misfit::Address);
    match shape {
        KeyShape::Address(schemes) => judge(schemes).map(drop),
        KeyShape::AddressWith(schemes, (parameter, values)) => {
            let chosen = judge(schemes)?.parameter(parameter);
            match chosen.is_some_and(|value| values.contains(&value)) {
                true => Ok(()),
                false => Err(Misfit::Unchosen(parameter, values)),
            }
        }
        KeyShape::Project(schemes) => match judge(schemes)?.is_project() {
            true => Ok(()),
            false => Err(Misfit::NoProject),
        },
        KeyShape::Origin(schemes) => {
            judge(schemes)?;
            let origin = http::Origin::read(text).map(drop);
            origin.map_err(|why| Misfit::Address(why.to_owned()))
        }
        KeyShape::HostPort => address::host_port(text).map_err(Misfit::Address),
        _ => Ok(()),
    }
}

/// Whether every part between commas is `key=value` with a key that a header can have (emitters.txt "OTEL").
fn is_header_list(text: &str) -> bool {
    let named = |key: &str| {
        let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        !key.is_empty() && key.chars().all(token)
    };
    let whole = |part: &str| part.split_once('=').is_some_and(|(key, _)| named(key.trim()));
    text.split(',').all(whole) && !text.contains(char::is_control)
}

/// Whether a path is one of a mounted resource, `{{ resource }}/file`, and leads nowhere else.
pub(super) fn is_in_mount(path: &str) -> bool {
    let inside = path
        .strip_prefix("{{")
        .and_then(|rest| rest.split_once("}}"))
        .and_then(|(_, inside)| inside.strip_prefix('/'));
    inside.is_some_and(|inside| !inside.contains("{{") && inside.split('/').all(|part| part != ".."))
}
