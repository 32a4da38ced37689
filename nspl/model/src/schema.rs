//! Schemas: named, ordered fields (companion section 2).

use std::collections::HashMap;

use crate::DataType;

/// One field of a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Case-sensitive name, unique in its schema.
    pub name: String,
    /// Exact type.
    pub data_type: DataType,
    /// `OPTIONAL`: only then may a value be null.
    pub optional: bool,
    /// `SENSITIVE`: no value of it leaves the system without `leak_sensitive` (rulings section 6).
    pub sensitive: bool,
}

/// The fields of a record, in declared order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schema {
    /// Its name in the domain; empty for the built-in schema of errors.
    pub name: String,
    /// Declared order; names are unique.
    pub fields: Vec<Field>,
}

impl Schema {
    /// Position of a field by its exact name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The positions of all fields, for many look-ups.
    pub fn places(&self) -> HashMap<&str, usize> {
        let names = self.fields.iter().map(|field| field.name.as_str());
        names.enumerate().map(|(index, name)| (name, index)).collect()
    }

    /// A field by its exact name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}
