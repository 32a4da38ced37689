//! The fields of a schema or wire schema while ALTER adds, drops and renames them.
//!
//! They are found by name in constant time, so that many operations on many fields take linear time.

use std::collections::HashMap;

use nspl_syntax::Name;

use crate::Diagnostic;
use crate::rules::alter as rule;

/// A field that has a name.
pub(super) trait Named {
    fn name(&mut self) -> &mut Name;
}

/// The fields of `owner`, its kind and name.
pub(super) struct Fields<F> {
    owner: String,
    /// In order; what is dropped leaves a gap.
    slots: Vec<Option<F>>,
    /// Of fields of one name, which is a fault of its own, the first.
    places: HashMap<String, usize>,
    count: usize,
}

impl<F: Named> Fields<F> {
    pub(super) fn new(owner: String, fields: Vec<F>) -> Fields<F> {
        let mut found = Fields {
            owner,
            slots: Vec::with_capacity(fields.len()),
            places: HashMap::with_capacity(fields.len()),
            count: 0,
        };
        for field in fields {
            found.push(field);
        }
        found
    }

    pub(super) fn finish(self) -> Vec<F> {
        self.slots.into_iter().flatten().collect()
    }

    pub(super) fn add(&mut self, mut field: F) -> Result<(), Diagnostic> {
        self.vacant(field.name())?;
        self.push(field);
        Ok(())
    }

    pub(super) fn remove(&mut self, name: &Name) -> Result<(), Diagnostic> {
        let place = self.place(name)?;
        if self.count == 1 {
            return Err(rule::last_field(name.span, &self.owner));
        }
        self.places.remove(&name.text);
        self.count -= 1;
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = None;
        }
        Ok(())
    }

    pub(super) fn rename(&mut self, name: &Name, to: &Name) -> Result<(), Diagnostic> {
        if name != to {
            self.vacant(to)?;
        }
        *self.find(name)?.name() = to.clone();
        if let Some(place) = self.places.remove(&name.text) {
            self.places.insert(to.text.clone(), place);
        }
        Ok(())
    }

    pub(super) fn find(&mut self, name: &Name) -> Result<&mut F, Diagnostic> {
        let place = self.place(name)?;
        let found = self.slots.get_mut(place).and_then(Option::as_mut);
        found.ok_or_else(|| rule::no_field(name.span, &self.owner, &name.text))
    }

    fn push(&mut self, mut field: F) {
        self.places
            .entry(field.name().text.clone())
            .or_insert(self.slots.len());
        self.slots.push(Some(field));
        self.count += 1;
    }

    fn place(&self, name: &Name) -> Result<usize, Diagnostic> {
        let found = self.places.get(&name.text).copied();
        found.ok_or_else(|| rule::no_field(name.span, &self.owner, &name.text))
    }

    fn vacant(&self, name: &Name) -> Result<(), Diagnostic> {
        match self.places.contains_key(&name.text) {
            true => Err(rule::field_exists(name.span, &self.owner, &name.text)),
            false => Ok(()),
        }
    }
}
