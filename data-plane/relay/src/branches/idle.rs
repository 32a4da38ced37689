//! The instances that nobody uses, least recently used first.
//!
//! A doubly linked list through an array, so that an instance joins and leaves in constant time and costs eight
//! bytes. It knows slots, not instances.

/// Links nothing.
const END: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct IdleList {
    links: Vec<Link>,
    first: u32,
    last: u32,
    len: usize,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    after: u32,
}

/// A slot that is not in the list links to itself.
fn apart(slot: u32) -> Link {
    Link {
        before: slot,
        after: slot,
    }
}

impl Default for IdleList {
    fn default() -> Self {
        Self {
            links: Vec::new(),
            first: END,
            last: END,
            len: 0,
        }
    }
}

impl IdleList {
    /// Makes room for slots below `slots`.
    pub(super) fn grow(&mut self, slots: usize) {
        for slot in self.links.len()..slots {
            self.links.push(apart(slot as u32));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn first(&self) -> Option<u32> {
        (self.first != END).then_some(self.first)
    }

    pub(super) fn contains(&self, slot: u32) -> bool {
        self.links
            .get(slot as usize)
            .is_some_and(|link| link.before != slot)
    }

    /// Adds a slot that is not in the list as the most recently used.
    pub(super) fn push(&mut self, slot: u32) {
        debug_assert!(!self.contains(slot), "a slot is idle once");
        let last = self.last;
        self.links[slot as usize] = Link {
            before: last,
            after: END,
        };
        match self.links.get_mut(last as usize) {
            Some(link) => link.after = slot,
            None => self.first = slot,
        }
        self.last = slot;
        self.len += 1;
    }

    /// Takes a slot out; does nothing when it is not in the list.
    pub(super) fn remove(&mut self, slot: u32) {
        if !self.contains(slot) {
            return;
        }
        let Link { before, after } = std::mem::replace(&mut self.links[slot as usize], apart(slot));
        match self.links.get_mut(before as usize) {
            Some(link) => link.after = after,
            None => self.first = after,
        }
        match self.links.get_mut(after as usize) {
            Some(link) => link.before = before,
            None => self.last = before,
        }
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests;
