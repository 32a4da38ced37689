//! What something is made of, one name each, while ALTER adds, drops and renames it: the fields of a schema, the sources
//! of an emitter.
//!
//! Parts are found by name in constant time, so that many operations on many parts take linear time. Invariant: what an
//! operation was refused for is told once; one that is refused because an earlier one was says nothing.

use std::collections::{HashMap, HashSet};

use nspl_syntax::{Name, Span};

use crate::Diagnostic;

/// A part that has a name, and what is said of one that is missing, that is there already, and that is the only one.
pub(in crate::script) trait Part {
    fn name(&self) -> &Name;
    fn name_mut(&mut self) -> &mut Name;
    /// `known` are the names that there are.
    fn absent(place: Span, owner: &str, name: &str, known: &[&str]) -> Diagnostic;
    fn present(place: Span, owner: &str, name: &str) -> Diagnostic;
    fn last(place: Span, owner: &str) -> Diagnostic;
}

/// What is said of an operation that is refused; nothing where that may follow from an earlier one.
pub(in crate::script) type Refusal = Option<Diagnostic>;

/// The parts of `owner`.
pub(in crate::script) struct Parts<P> {
    owner: String,
    /// In order; what is dropped leaves a gap.
    slots: Vec<Option<P>>,
    /// Of parts of one name, which is a fault of its own, the first.
    places: HashMap<String, usize>,
    count: usize,
    /// The names of which nobody knows whether they are there, because what would have said so was refused.
    doubtful: HashSet<String>,
}

impl<P: Part> Parts<P> {
    pub(super) fn new(owner: String, parts: Vec<P>) -> Parts<P> {
        let mut found = Parts {
            owner,
            slots: Vec::with_capacity(parts.len()),
            places: HashMap::with_capacity(parts.len()),
            count: 0,
            doubtful: HashSet::new(),
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

    pub(super) fn add(&mut self, part: P) -> Result<(), Refusal> {
        self.vacant(part.name())?;
        self.push(part);
        Ok(())
    }

    pub(super) fn remove(&mut self, name: &Name) -> Result<(), Refusal> {
        let place = self.place(name)?;
        if self.count == 1 {
            let last = self.refusal(name, || P::last(name.span, &self.owner));
            self.doubtful.insert(name.text.clone());
            return Err(last);
        }
        self.places.remove(&name.text);
        self.count -= 1;
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = None;
        }
        Ok(())
    }

    pub(super) fn rename(&mut self, name: &Name, to: &Name) -> Result<(), Refusal> {
        let renamed = self.renamed(name, to);
        if renamed.is_err() {
            self.doubtful.extend([name.text.clone(), to.text.clone()]);
        }
        renamed
    }

    fn renamed(&mut self, name: &Name, to: &Name) -> Result<(), Refusal> {
        if name != to {
            self.vacant(to)?;
        }
        *self.find(name)?.name_mut() = to.clone();
        if let Some(place) = self.places.remove(&name.text) {
            self.places.insert(to.text.clone(), place);
        }
        Ok(())
    }

    pub(super) fn find(&mut self, name: &Name) -> Result<&mut P, Refusal> {
        let place = self.place(name)?;
        self.slots.get_mut(place).and_then(Option::as_mut).ok_or(None)
    }

    fn push(&mut self, part: P) {
        self.places
            .entry(part.name().text.clone())
            .or_insert(self.slots.len());
        self.slots.push(Some(part));
        self.count += 1;
    }

    fn place(&self, name: &Name) -> Result<usize, Refusal> {
        let place = self.places.get(&name.text).copied();
        place.ok_or_else(|| {
            self.refusal(name, || {
                P::absent(name.span, &self.owner, &name.text, &self.known())
            })
        })
    }

    fn vacant(&self, name: &Name) -> Result<(), Refusal> {
        match self.places.contains_key(&name.text) {
            true => Err(self.refusal(name, || P::present(name.span, &self.owner, &name.text))),
            false => Ok(()),
        }
    }

    fn refusal(&self, name: &Name, told: impl FnOnce() -> Diagnostic) -> Refusal {
        (!self.doubtful.contains(&name.text)).then(told)
    }

    fn known(&self) -> Vec<&str> {
        let parts = self.slots.iter().flatten();
        parts.map(|part| part.name().text.as_str()).collect()
    }
}
