//! Functions are those of companion section 4.

use nspl_model::Function;
use nspl_syntax::Name;

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1309",
    title: "A function that is called exists",
    fails: emitter_example!("INHERIT id SET note = lowercase(id)"),
    passes: emitter_example!("INHERIT id SET note = lower(id)"),
};

/// Functions that people look for under names of other languages, and what to write.
const FOREIGN: [(&str, &str); 27] = [
    ("year", "write substr(at AS STRING, 1, 4) AS I32"),
    ("month", "write substr(at AS STRING, 6, 2) AS I32"),
    ("day", "write substr(at AS STRING, 9, 2) AS I32"),
    ("hour", "write substr(at AS STRING, 12, 2) AS I32"),
    ("minute", "write substr(at AS STRING, 15, 2) AS I32"),
    ("second", "write substr(at AS STRING, 18, 2) AS I32"),
    ("extract", DATE_PARTS),
    ("date_part", DATE_PARTS),
    ("date_trunc", DATE_PARTS),
    ("date_add", NO_DURATIONS),
    ("date_sub", NO_DURATIONS),
    ("datediff", NO_DURATIONS),
    ("interval", NO_DURATIONS),
    ("to_timestamp", "write text AS DATETIME"),
    ("cast", "write value AS TYPE, or TRY_CAST(value AS TYPE)"),
    ("to_char", "write value AS STRING"),
    ("to_string", "write value AS STRING"),
    ("ifnull", "there is coalesce()"),
    ("nvl", "there is coalesce()"),
    ("isnull", "there is is_null()"),
    ("len", "there is length()"),
    ("ucase", "there is upper()"),
    ("lcase", "there is lower()"),
    ("current_timestamp", "there is now()"),
    ("uuid", "there are uuid_v4() and uuid_v7()"),
    ("gen_random_uuid", "there is uuid_v4()"),
    ("json_extract", "there is JSON_VALUE(document, '$.path' AS TYPE)"),
];

const DATE_PARTS: &str =
    "a part of a DATETIME is read from its text, as in substr(at AS STRING, 1, 4) AS I32";
const NO_DURATIONS: &str =
    "DATETIME takes no arithmetic: it is compared, as in at > '2026-01-01T00:00:00Z' AS DATETIME";

/// There is no such function.
pub(crate) fn fault(name: &Name) -> Diagnostic {
    if name.text.eq_ignore_ascii_case("write_header") {
        return RULE
            .fault(name.span, "write_header is no function of expressions")
            .help("it stands in INVOKE");
    }
    let fault = RULE.fault(name.span, format!("there is no function {}", name.text));
    let mut foreign = FOREIGN.iter();
    if let Some((_, help)) = foreign.find(|(foreign, _)| foreign.eq_ignore_ascii_case(&name.text)) {
        return fault.help(*help);
    }
    match nearest(&name.text, Function::all().map(Function::name)) {
        Some(near) => fault.help(format!("there is {near}()")),
        None => fault.help("the functions are listed in docs/reference/functions"),
    }
}
