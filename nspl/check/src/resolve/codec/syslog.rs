//! `FROM SYSLOG`: the fields of RFC 5424 (companion section 12, rulings section 7).

use nspl_model::{SYSLOG_FIELDS, Schema, SyslogField};
use nspl_syntax::Name;

use super::super::Resolver;
use crate::rules;

impl Resolver<'_> {
    /// Whether a schema is one of syslog records; each field that is not is reported, and all that is missing together.
    pub(super) fn syslog_schema(&mut self, name: &Name, schema: &Schema) -> bool {
        let faults_before = self.faults.len();
        for field in &schema.fields {
            match SYSLOG_FIELDS.iter().find(|known| known.name == field.name) {
                None => self
                    .faults
                    .push(rules::syslog_schema::unknown(name.span, schema, field)),
                Some(known) if known.data_type != field.data_type || known.optional != field.optional => {
                    self.faults
                        .push(rules::syslog_schema::wrong_type(name.span, schema, field, known));
                }
                Some(_) => {}
            }
        }
        let missing: Vec<&SyslogField> = SYSLOG_FIELDS
            .iter()
            .filter(|known| !known.optional && schema.field(known.name).is_none())
            .collect();
        if !missing.is_empty() {
            self.faults
                .push(rules::syslog_schema::missing(name.span, schema, &missing));
        }
        self.is_clean_since(faults_before)
    }
}
