//! Records that a codec cannot write (`emitters.txt`, Batch payloads): the same rejection whatever is made of the others.

use std::sync::Arc;

use nervix_codec::RecordFault;
use nervix_expr::FailureSite;
use nspl_model::record_error::Operation;

use crate::carrier::Members;
use crate::plan::Plan;
use crate::publish::turn::Turn;

/// Rejects members for which there is no payload.
pub(crate) fn refuse(plan: &Plan, members: Members, fault: &RecordFault, turn: &mut Turn<'_>) {
    let site = FailureSite {
        code: fault.code,
        operation: Operation::Encode,
        operation_index: None,
        fields: fault.fields.clone(),
    };
    let Plan { emitter, codec, .. } = plan;
    let codec = codec.as_deref().unwrap_or_default();
    let message = format!("emitter '{emitter}' codec '{codec}' {fault}");
    turn.rejected(members, &Arc::new(site), message);
}
