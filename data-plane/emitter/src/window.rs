//! The confirmation window of one lane (`emitters.txt`, Publishing modes and Client emitters).
//!
//! Invariant: at most `size` payloads of the lane are out, counted from the first offer until delivered or rejected; a
//! payload that waits out its backoff keeps its place.

/// Counts the payloads of one lane that are out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    size: u32,
    out: u32,
}

impl Window {
    /// An empty window for `size` payloads, at least one.
    pub(crate) fn new(size: u32) -> Self {
        Self {
            size: size.max(1),
            out: 0,
        }
    }

    /// Whether one more payload may go out.
    pub(crate) fn has_room(&self) -> bool {
        self.out < self.size
    }

    /// A payload goes out.
    pub(crate) fn enter(&mut self) {
        debug_assert!(self.has_room(), "a payload went out past the window");
        self.out += 1;
    }

    /// A payload is delivered or rejected.
    pub(crate) fn leave(&mut self) {
        self.out = self.out.saturating_sub(1);
    }

    /// Whether nothing is out.
    pub(crate) fn is_empty(&self) -> bool {
        self.out == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn a_window_takes_its_size_and_no_more() {
        let mut window = Window::new(2);
        window.enter();
        assert!(window.has_room());
        window.enter();
        assert!(!window.has_room());
        window.leave();
        assert!(window.has_room() && !window.is_empty());
        window.leave();
        assert!(window.is_empty());
    }
}
