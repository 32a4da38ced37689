//! The fields of syslog records (companion section 12, rulings section 7).

use nspl_model::{Field, SYSLOG_FIELDS, Schema, SyslogField};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1513",
    title: "The schema of a SYSLOG codec has fields of RFC 5424 by their exact names and types, facility, severity and message among them",
    fails: "BEGIN; CREATE SCHEMA s (facility U8, severity U8, host STRING OPTIONAL, message STRING);
CREATE CODEC c FROM SYSLOG TO SCHEMA s; COMMIT;",
    passes: "BEGIN; CREATE SCHEMA s (facility U8, severity U8, hostname STRING OPTIONAL, message STRING);
CREATE CODEC c FROM SYSLOG TO SCHEMA s; COMMIT;",
};

/// A syslog record has no such field.
pub(crate) fn unknown(place: Span, schema: &Schema, field: &Field) -> Diagnostic {
    let known = || SYSLOG_FIELDS.iter().map(|known| known.name);
    let fault = RULE.fault(
        place,
        format!(
            "SCHEMA {} has a field {}, which syslog records do not have",
            schema.name, field.name
        ),
    );
    match nearest(&field.name, known()) {
        Some(near) => fault.help(format!("they have a field {near}")),
        None => fault.help(format!(
            "their fields: {}",
            known().collect::<Vec<_>>().join(", ")
        )),
    }
}

/// The field has another type, or is OPTIONAL where it may not be, or the reverse.
pub(crate) fn wrong_type(place: Span, schema: &Schema, field: &Field, known: &SyslogField) -> Diagnostic {
    let optional = |optional| if optional { " OPTIONAL" } else { "" };
    RULE.fault(
        place,
        format!(
            "the field {} of SCHEMA {} is {}{}, and {}{} in syslog records",
            field.name,
            schema.name,
            field.data_type,
            optional(field.optional),
            known.data_type,
            optional(known.optional)
        ),
    )
}

/// Fields that every record has.
pub(crate) fn missing(place: Span, schema: &Schema, fields: &[&SyslogField]) -> Diagnostic {
    let fields: Vec<String> = fields
        .iter()
        .map(|field| format!("{} {}", field.name, field.data_type))
        .collect();
    RULE.fault(
        place,
        format!(
            "SCHEMA {} lacks {}, which every syslog record has",
            schema.name,
            fields.join(", ")
        ),
    )
}
