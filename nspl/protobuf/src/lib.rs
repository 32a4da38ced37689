//! From .proto files in memory to descriptors (companion section 2, rulings section 3): what the checker judges protobuf
//! codecs by, and the data plane encodes and decodes with.
//!
//! Nothing here opens a file. The well-known files of `google/protobuf` are always there to be imported.

mod fault;
mod message;
mod nesting;
mod source;

pub use fault::Fault;
pub use message::{is_batch_of, message_names};
pub use prost_reflect::{DescriptorPool, MessageDescriptor};
pub use source::{FileMap, compile};

#[cfg(test)]
mod tests;
