//! `FROM WIRE f SCHEMA w`: field by field (rulings section 4).

use std::collections::{HashMap, HashSet};

use nspl_model::{CodecForm, DataType, Definition, Field, Schema, WireField, WireSchemaDef};
use nspl_syntax::{Name, wire_schema as tree};

use super::super::Resolver;
use super::super::wire_schema::wire_format;
use crate::expression::Record;
use crate::rules;

impl Resolver<'_> {
    pub(super) fn schemaful_form(
        &mut self,
        (format, name): (tree::WireFormat, &Name),
        encoded: &[Name],
        schema: Option<&Schema>,
    ) -> Option<CodecForm> {
        let wire = match self.refer(wire_format(format).entity_kind(), name) {
            Some(Definition::WireSchema(wire)) => Some(wire),
            _ => None,
        };
        let faults_before = self.faults.len();
        let rfc3339 = self.rfc3339(encoded, schema);
        let (wire, schema) = (wire?, schema?);
        self.pair(name, &wire, schema);
        self.unencoded(name, encoded, schema);
        self.is_clean_since(faults_before)
            .then_some(CodecForm::Schemaful { wire, rfc3339 })
    }

    /// ENCODE: the indexes of its fields, in ascending order.
    fn rfc3339(&mut self, encoded: &[Name], schema: Option<&Schema>) -> Vec<usize> {
        let mut first = HashMap::new();
        let mut found = Vec::new();
        let record = schema.map(Record::of);
        for name in encoded {
            if let Some(before) = first.insert(name.text.as_str(), name.span) {
                self.faults.push(rules::rfc3339::doubled(name, before));
                continue;
            }
            let Some(record) = &record else { continue };
            match record.find(&name.text) {
                None => self.faults.push(rules::unknown_field::fault(name, record)),
                Some((_, field)) if field.data_type != DataType::DateTime => {
                    self.faults.push(rules::rfc3339::no_datetime(name, field));
                }
                Some((index, _)) => found.push(index),
            }
        }
        found.sort_unstable();
        found
    }

    /// Every DATETIME is named by ENCODE, and none hides in a list.
    fn unencoded(&mut self, name: &Name, encoded: &[Name], schema: &Schema) {
        let encoded: HashSet<&str> = encoded.iter().map(|name| name.text.as_str()).collect();
        let bare =
            |field: &&Field| field.data_type == DataType::DateTime && !encoded.contains(field.name.as_str());
        let bare: Vec<&str> = schema
            .fields
            .iter()
            .filter(bare)
            .map(|field| field.name.as_str())
            .collect();
        if !bare.is_empty() {
            self.faults
                .push(rules::rfc3339::missing(name.span, schema, &bare));
        }
        let listed = schema
            .fields
            .iter()
            .filter(|field| holds_datetime(&field.data_type));
        let faults = listed.map(|field| rules::rfc3339::in_list(name.span, schema, field));
        self.faults.extend(faults);
    }

    /// Both sides know the same fields, of types that go together.
    fn pair(&mut self, name: &Name, wire: &WireSchemaDef, schema: &Schema) {
        let outside: HashMap<&str, &WireField> = wire
            .fields
            .iter()
            .map(|field| (field.name.as_str(), field))
            .collect();
        let places = schema.places();
        let missing: Vec<&str> = schema
            .fields
            .iter()
            .filter(|field| !outside.contains_key(field.name.as_str()))
            .map(|field| field.name.as_str())
            .collect();
        if !missing.is_empty() {
            self.faults
                .push(rules::wire_field::missing(name.span, wire, schema, &missing));
        }
        let surplus = |field: &&WireField| !field.optional && !places.contains_key(field.name.as_str());
        let surplus: Vec<&str> = wire
            .fields
            .iter()
            .filter(surplus)
            .map(|field| field.name.as_str())
            .collect();
        if !surplus.is_empty() {
            self.faults
                .push(rules::wire_field::surplus(name.span, wire, schema, &surplus));
        }
        for field in &schema.fields {
            let Some(outside) = outside.get(field.name.as_str()).copied() else {
                continue;
            };
            let takes = wire.format.types_of(&field.data_type);
            if !takes.contains(&outside.wire_type) {
                let fault = rules::wire_pair::fault(name.span, (field, outside), wire.format, takes);
                self.faults.push(fault);
            }
            if field.optional && !outside.optional {
                self.faults
                    .push(rules::wire_optional::fault(name.span, wire, schema, field));
            }
        }
    }
}

/// Whether a list has DATETIME elements, however deep.
fn holds_datetime(data_type: &DataType) -> bool {
    match data_type {
        DataType::Array(element, _) | DataType::Vec(element) => {
            **element == DataType::DateTime || holds_datetime(element)
        }
        _ => false,
    }
}
