//! Names of tables, columns and fields, by how the database reads them.

use std::collections::HashMap;

use nspl_model::{Capabilities, IdentifierForm};
use nspl_syntax::sink::values::Values;
use nspl_syntax::{Span, Text};

use super::Resolver;
use crate::rules;

impl Resolver<'_> {
    /// The keys of VALUES; `updates`: rows may update others, by ON CONFLICT.
    pub(super) fn identifiers(&mut self, values: Option<&Values>, sink: &Capabilities, updates: bool) {
        let (Some(values), form) = (values, sink.identifiers) else {
            return;
        };
        let entries = &values.map.entries;
        if let Some(most) = form.columns_max().filter(|most| entries.len() > *most) {
            self.faults
                .push(rules::external_key::too_many(values.span, entries.len(), most));
        }
        let mut seen: HashMap<&str, &Text> = HashMap::new();
        for entry in entries {
            let key = &entry.key;
            // The same key twice is a fault of its own.
            let before = seen.insert(form.as_read(&key.value), key);
            if let Some(before) = before.filter(|before| before.value != key.value) {
                let why = form.caution(&key.value).or_else(|| form.caution(&before.value));
                let why = why.unwrap_or_default();
                self.faults
                    .push(rules::external_key::read_alike(key.span, before.span, &why));
                continue;
            }
            let update_fault = form.update_fault(&key.value).filter(|_| updates);
            match form.fault(&key.value).or_else(|| update_fault.map(str::to_owned)) {
                Some(why) => self.faults.push(rules::external_key::refused(key.span, &why)),
                None => self.caution(key.span, &key.value, form),
            }
        }
    }

    /// Warns of a name that the database reads as another.
    pub(super) fn caution(&mut self, place: Span, name: &str, form: IdentifierForm) {
        let warning = form
            .caution(name)
            .map(|why| rules::read_otherwise::fault(place, &why));
        self.faults.extend(warning);
    }
}
