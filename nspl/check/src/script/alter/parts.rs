//! What something is made of, one name each, while ALTER adds, drops and renames it: the fields of a schema, the sources
//! of an emitter.
//!
//! Parts are found by name in constant time, so that many operations on many parts take linear time.

use std::collections::HashMap;

use nspl_syntax::{Name, Span};

use crate::Diagnostic;

/// A part that has a name, and what is said of one that is missing, that is there already, and that is the only one.
pub(in crate::script) trait Part {
    fn name(&mut self) -> &mut Name;
    /// `known` are the names that there are.
    fn absent(place: Span, owner: &str, name: &str, known: &[&str]) -> Diagnostic;
    fn present(place: Span, owner: &str, name: &str) -> Diagnostic;
    fn last(place: Span, owner: &str) -> Diagnostic;
}

/// The parts of `owner`.
pub(in crate::script) struct Parts<P> {
    owner: String,
    /// In order; what is dropped leaves a gap.
    slots: Vec<Option<P>>,
    /// Of parts of one name, which is a fault of its own, the first.
    places: HashMap<String, usize>,
    count: usize,
}

impl<P: Part> Parts<P> {
    pub(super) fn new(owner: String, parts: Vec<P>) -> Parts<P> {
        let mut found = Parts {
            owner,
            slots: Vec::with_capacity(parts.len()),
            places: HashMap::with_capacity(parts.len()),
            count: 0,
        };
        for part in parts {
            found.push(part);
        }
        found
    }

    pub(super) fn finish(self) -> Vec<P> {
        self.slots.into_iter().flatten().collect()
    }

    /// As they are so far.
    pub(super) fn to_vec(&self) -> Vec<P>
    where
        P: Clone,
    {
        self.slots.iter().flatten().cloned().collect()
    }

    pub(super) fn add(&mut self, mut part: P) -> Result<(), Diagnostic> {
        self.vacant(part.name())?;
        self.push(part);
        Ok(())
    }

    pub(super) fn remove(&mut self, name: &Name) -> Result<(), Diagnostic> {
        let place = self.place(name)?;
        if self.count == 1 {
            return Err(P::last(name.span, &self.owner));
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

    pub(super) fn find(&mut self, name: &Name) -> Result<&mut P, Diagnostic> {
        let place = self.place(name)?;
        let found = self.slots.get_mut(place).and_then(Option::as_mut);
        found.ok_or_else(|| P::absent(name.span, &self.owner, &name.text, &[]))
    }

    fn push(&mut self, mut part: P) {
        self.places
            .entry(part.name().text.clone())
            .or_insert(self.slots.len());
        self.slots.push(Some(part));
        self.count += 1;
    }

    fn place(&mut self, name: &Name) -> Result<usize, Diagnostic> {
        if let Some(place) = self.places.get(&name.text) {
            return Ok(*place);
        }
        let parts = self.slots.iter_mut().flatten();
        let known: Vec<&str> = parts.map(|part| part.name().text.as_str()).collect();
        Err(P::absent(name.span, &self.owner, &name.text, &known))
    }

    fn vacant(&self, name: &Name) -> Result<(), Diagnostic> {
        match self.places.contains_key(&name.text) {
            true => Err(P::present(name.span, &self.owner, &name.text)),
            false => Ok(()),
        }
    }
}
