//! A schema whose fields are found by name in constant time, for a definition that names many of them.

use std::cell::Cell;
use std::collections::HashMap;

use nspl_model::{Field, Schema};

/// So few fields are looked through as quickly.
const FEW: usize = 16;

/// So many unknown names are compared with the fields of a schema, to find the one that was meant, and with so many of
/// its fields each.
const COMPARISONS_MAX: u32 = 64;
const COMPARED_MAX: usize = 1_024;

/// A schema while it is read from and written to.
pub(crate) struct Record<'s> {
    pub(crate) schema: &'s Schema,
    /// Empty for few fields.
    places: HashMap<&'s str, usize>,
    /// The unknown names that may still be compared.
    comparisons: Cell<u32>,
}

impl<'s> Record<'s> {
    pub(crate) fn of(schema: &'s Schema) -> Record<'s> {
        let places = match schema.fields.len() > FEW {
            true => schema.places(),
            false => HashMap::new(),
        };
        Record {
            schema,
            places,
            comparisons: Cell::new(COMPARISONS_MAX),
        }
    }

    /// The fields of which an unknown name may mean one.
    pub(crate) fn meant(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        let left = self.comparisons.get();
        self.comparisons.set(left.saturating_sub(1));
        let compared = if left > 0 { COMPARED_MAX } else { 0 };
        self.schema
            .fields
            .iter()
            .take(compared)
            .map(|field| field.name.as_str())
    }

    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        match self.places.is_empty() {
            true => self.schema.fields.iter().position(|field| field.name == name),
            false => self.places.get(name).copied(),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<(usize, &'s Field)> {
        let index = self.index_of(name)?;
        Some((index, self.schema.fields.get(index)?))
    }
}
