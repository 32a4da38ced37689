//! What of a relay's definition its states depend on: the fields of its rows, and its branch with the fields of the key.
//!
//! Invariant: two definitions of one text have states that read alike. TTL, MAX INSTANCES, CAPACITY and SENSITIVE are no
//! part of it, so changing them keeps the states.

use nspl_model::{RelayDef, Schema};

pub(crate) fn text(def: &RelayDef) -> String {
    let branch = def.branch.as_ref().map_or_else(String::new, |branch| {
        format!("BRANCHED BY {} ({})", branch.name, fields(&branch.schema))
    });
    format!("({}) {branch}", fields(&def.schema))
}

fn fields(schema: &Schema) -> String {
    let fields = schema.fields.iter().map(|field| {
        let optional = if field.optional { " OPTIONAL" } else { "" };
        format!("{} {}{optional}", field.name, field.data_type)
    });
    fields.collect::<Vec<_>>().join(", ")
}
