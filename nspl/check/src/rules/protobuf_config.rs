//! CONFIG of protobuf codecs (rulings section 3).

use nspl_syntax::{Span, Text};

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::Rule;

/// The keys that CONFIG takes.
const KEYS: [&str; 4] = ["file", "files", "include", "includes"];

pub(crate) const RULE: Rule = Rule {
    code: "E1509",
    title: "CONFIG of a protobuf codec has 'file' or 'files', and 'include' or 'includes', with paths below the resource's root",
    fails: "CREATE CODEC c FROM PROTOBUF USING RESOURCE files CONFIG {'fiel' = 'a.proto'} MESSAGE 'p.M' TO SCHEMA failure
  WITH JAQ TRANSFORMATIONS ON EMITTING '.';",
    passes: "CREATE CODEC c FROM PROTOBUF USING RESOURCE files CONFIG {'file' = 'a.proto'} MESSAGE 'p.M' TO SCHEMA failure
  WITH JAQ TRANSFORMATIONS ON EMITTING '.';",
};

/// There is no such key.
pub(crate) fn unknown(key: &Text) -> Diagnostic {
    let fault = RULE.fault(key.span, format!("a protobuf codec has no key '{}'", key.value));
    match nearest(&key.value, KEYS) {
        Some(near) => fault.help(format!("it has a key '{near}'")),
        None => fault.help(format!("its keys: {}", KEYS.join(", "))),
    }
}

/// The value is no string.
pub(crate) fn no_text(place: Span, key: &str) -> Diagnostic {
    RULE.fault(place, format!("'{key}' takes a string"))
        .help("paths are separated by commas")
}

/// The value has something that is no path below the root.
pub(crate) fn no_path(place: Span, key: &str, path: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("'{key}' has '{path}', which is no path below the resource's root"),
    )
    .help("paths are separated by commas, their parts by /; they do not begin with / and have no ..")
}
