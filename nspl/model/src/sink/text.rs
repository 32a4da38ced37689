//! What holds for the names that most outside systems give their topics, queues and subjects.

/// Why a name is none: it is empty, or holds a blank or a control character. `what` is such as "a topic".
pub(super) fn fault(name: &str, what: &str) -> Option<String> {
    if name.is_empty() {
        return Some(format!("{what} has a name"));
    }
    name.contains(|c: char| c.is_whitespace() || c.is_control())
        .then(|| format!("{what} holds no blanks and no control characters"))
}
