//! Messages of compiled files.

use prost_reflect::{DescriptorPool, Kind, MessageDescriptor};

/// The full names of all messages but those of `google.protobuf`, in no particular order.
pub fn message_names(pool: &DescriptorPool) -> Vec<String> {
    let own = pool
        .all_messages()
        .filter(|message| message.package_name() != "google.protobuf" && !message.is_map_entry());
    own.map(|message| message.full_name().to_owned()).collect()
}

/// Whether a message is a sequence of another one: exactly one field, `repeated <message>` (emitters.txt "Batching").
pub fn is_batch_of(batch: &MessageDescriptor, message: &MessageDescriptor) -> bool {
    let mut fields = batch.fields();
    match (fields.next(), fields.next()) {
        (Some(field), None) => {
            field.is_list() && matches!(field.kind(), Kind::Message(member) if member == *message)
        }
        _ => false,
    }
}
