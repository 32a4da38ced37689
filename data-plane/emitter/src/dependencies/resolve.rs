//! The resolution of all dependencies of one batch, in written order. Pure.

/// What happens where there is no state. `S` is a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Absent<S> {
    /// REQUIRED WAIT.
    Wait,
    /// REQUIRED SKIP.
    Skip,
    /// DEFAULT.
    Use(S),
}

/// The outcome for a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolved<S> {
    /// A state for each dependency, in written order.
    Bound(Vec<S>),
    /// A required state is not there.
    Skipped,
    /// The dependency at this place has to be waited for.
    Waits(usize),
}

/// Looks at one dependency after the other; the first that cannot be bound decides.
pub(crate) fn resolve<'a, S: Clone + 'a>(
    dependencies: impl Iterator<Item = &'a Absent<S>>,
    mut state_of: impl FnMut(usize) -> Option<S>,
) -> Resolved<S> {
    let mut bound = Vec::new();
    for (index, absent) in dependencies.enumerate() {
        match (state_of(index), absent) {
            (Some(state), _) => bound.push(state),
            (None, Absent::Use(state)) => bound.push(state.clone()),
            (None, Absent::Skip) => return Resolved::Skipped,
            (None, Absent::Wait) => return Resolved::Waits(index),
        }
    }
    Resolved::Bound(bound)
}

#[cfg(test)]
mod tests;
