//! ON CONFLICT: what an insert does when the row is already there (emitters.txt "Postgres", "MySQL", "MongoDB").

/// A conflict policy, in a form that its database has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Indexes of the target columns in the output schema, in written order, each once; empty without a list.
    pub targets: Vec<usize>,
    /// What happens.
    pub action: ConflictAction,
}

/// The actions of ON CONFLICT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConflictAction {
    /// DO UPDATE: every column but the targets, of which there is at least one.
    Update,
    /// DO NOTHING.
    Nothing,
}
