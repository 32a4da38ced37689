//! The flush buffer (`emitters.txt`, Branch Semantics; companion section 11).
//!
//! Invariants: what is buffered leaves together and in arrival order when the time boundary, counted from the first row
//! of an empty buffer, passes, or when the size boundary is reached, whichever comes first; FLUSH IMMEDIATE has a
//! window of its own and no size boundary. `I` is an instant of the clock that the policy names. This
//! machine knows no clock.

/// What waits for the flush.
#[derive(Debug)]
pub(crate) struct FlushBuffer<T, I> {
    items: Vec<T>,
    bytes: u64,
    due: Option<I>,
}

impl<T, I: Copy> Default for FlushBuffer<T, I> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            bytes: 0,
            due: None,
        }
    }
}

impl<T, I: Copy> FlushBuffer<T, I> {
    /// Takes an item of `bytes` logical bytes in; `due` is the time boundary if the buffer is empty. Gives what leaves
    /// when it reaches `bytes_max`.
    pub(crate) fn push(&mut self, item: T, bytes: u64, due: I, bytes_max: Option<u64>) -> Option<Vec<T>> {
        self.due.get_or_insert(due);
        self.items.push(item);
        self.bytes = self.bytes.saturating_add(bytes);
        bytes_max
            .is_some_and(|max| self.bytes >= max)
            .then(|| self.take())
    }

    /// What leaves when the time boundary has passed, as `passed` judges it.
    pub(crate) fn take_due(&mut self, passed: impl FnOnce(I) -> bool) -> Option<Vec<T>> {
        self.due.is_some_and(passed).then(|| self.take())
    }

    /// Everything: a drain or a kick.
    pub(crate) fn take(&mut self) -> Vec<T> {
        self.bytes = 0;
        self.due = None;
        std::mem::take(&mut self.items)
    }

    /// The time boundary of what is buffered.
    pub(crate) fn due(&self) -> Option<I> {
        self.due
    }

    /// Whether nothing is buffered.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests;
