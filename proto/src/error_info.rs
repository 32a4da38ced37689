//! Why a call or a stream ended, for machines: `google.rpc.ErrorInfo` inside the `google.rpc.Status` that gRPC carries in
//! `grpc-status-details-bin` (flight.md "Ends and limits").
//!
//! Both are fixed by gRPC, not by Nervix, so they stand here and not among the packages above.

use std::collections::HashMap;

use prost::Message;

const TYPE_URL: &str = "type.googleapis.com/google.rpc.ErrorInfo";

/// `google.rpc.ErrorInfo`.
#[derive(Clone, PartialEq, Message)]
pub struct ErrorInfo {
    /// A stable word, such as `moved`.
    #[prost(string, tag = "1")]
    pub reason: String,
    /// Who speaks: `nervix`.
    #[prost(string, tag = "2")]
    pub domain: String,
    /// What else there is to know, such as `location`.
    #[prost(map = "string, string", tag = "3")]
    pub metadata: HashMap<String, String>,
}

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<prost_types::Any>,
}

impl ErrorInfo {
    /// The details of a status with this `code` and `message`.
    pub fn details(&self, code: i32, message: String) -> Vec<u8> {
        let any = prost_types::Any {
            type_url: TYPE_URL.to_owned(),
            value: self.encode_to_vec(),
        };
        let details = vec![any];
        RpcStatus {
            code,
            message,
            details,
        }
        .encode_to_vec()
    }

    /// Reads the details of a status; nothing where there is no such information in them.
    pub fn read(details: &[u8]) -> Option<Self> {
        let status = RpcStatus::decode(details).ok()?;
        let mut all = status.details.iter();
        let any = all.find(|any| any.type_url.ends_with("/google.rpc.ErrorInfo"))?;
        Self::decode(any.value.as_slice()).ok()
    }
}
