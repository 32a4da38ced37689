//! Fields: columns of the frame's scopes, shared with it.

use arrow::array::{Array, ArrayRef};
use arrow::error::ArrowError;
use nspl_model::{FieldRef, Scope};

use super::context::Context;
use super::value::{Outcome, wrong_type};

/// The column of a field; `null` is one null of its type.
pub(super) fn column(
    field: &FieldRef,
    null: &ArrayRef,
    context: &Context<'_>,
) -> Result<Outcome, ArrowError> {
    let frame = context.frame();
    let found = match &field.scope {
        Scope::Input => frame.input.columns().get(field.index),
        Scope::Output => frame.output.get(field.index).and_then(Option::as_ref),
        Scope::Error => frame.error.and_then(|records| records.columns().get(field.index)),
        Scope::PartialOutput => frame
            .partial_output
            .and_then(|records| records.columns().get(field.index)),
        Scope::RelayState { relay } => {
            let state = frame
                .relay_state
                .iter()
                .find(|state| state.relay == relay.as_str());
            state.and_then(|state| state.record.columns().get(field.index))
        }
    };
    match found {
        Some(array) if array.data_type() != null.data_type() => Err(wrong_type()),
        Some(array) if array.len() == context.rows() => Ok(Outcome::rows(array.clone())),
        Some(array) if array.len() == 1 && matches!(field.scope, Scope::RelayState { .. }) => {
            Ok(Outcome::constant(array.clone()))
        }
        Some(_) => Err(wrong_type()),
        // What an error route may read of a record that failed before it was set.
        None if matches!(field.scope, Scope::PartialOutput) => Ok(Outcome::constant(null.clone())),
        None => Err(wrong_type()),
    }
}
