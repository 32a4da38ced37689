//! Protobuf contracts of Nervix, the code generated from them, and of their messages the bounds and a `Debug` without secrets.
//!
//! [`v1`] is the public control API, [`client::v1`] what travels in the metadata of Arrow Flight messages, and
//! [`worker::v1`] what control plane and workers of one release say to one another. The first two are public: a field,
//! method or enum value in them is never removed, renumbered or retyped (`tests/compatibility.rs` refuses it).
//!
//! This crate deliberately knows no rule of NSPL, no encoding choice and no transport setting but the bounds below.

mod redact;

/// The control API, package `nervix.v1`.
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::too_many_lines,
    clippy::large_futures,
    reason = "generated; the comments stand in proto/nervix/v1/control.proto"
)]
pub mod v1 {
    tonic::include_proto!("nervix.v1");
}

/// The client protocol.
pub mod client {
    /// Messages of the `app_metadata` of Arrow Flight, package `nervix.client.v1`.
    #[allow(
        missing_docs,
        unreachable_pub,
        clippy::all,
        clippy::allow_attributes_without_reason,
        reason = "generated; the comments stand in proto/nervix/client/v1/flight.proto"
    )]
    pub mod v1 {
        tonic::include_proto!("nervix.client.v1");
    }
}

/// The protocol between control plane and workers.
pub mod worker {
    /// The `Workers` service and its messages, package `nervix.worker.v1`.
    #[allow(
        missing_docs,
        unreachable_pub,
        clippy::all,
        clippy::allow_attributes_without_reason,
        clippy::too_many_lines,
        clippy::large_futures,
        reason = "generated; the comments stand in proto/nervix/worker/v1/worker.proto"
    )]
    pub mod v1 {
        tonic::include_proto!("nervix.worker.v1");
    }
}

/// The encoded `FileDescriptorSet` of all packages, with comments: for gRPC reflection and for proto3 JSON.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/nervix.binpb"));

/// The most bytes that one message of the control API may have, in either direction.
pub const CONTROL_MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The most bytes that one message between control plane and worker may have; an `Assign` is sent in parts well below it.
pub const WORKER_MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The most bytes of a file in one `UploadResourceRequest.chunk`.
pub const UPLOAD_CHUNK_BYTES_MAX: usize = 1024 * 1024;
