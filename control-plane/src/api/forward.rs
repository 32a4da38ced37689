//! Passing a call on to the control plane that the executing worker is attached to.
//!
//! Only calls that need the worker are passed on: what has to drain, and what only the worker knows. A call is passed on
//! once at most. When the other control plane cannot be reached the call is carried out here, as far as that goes.

use std::time::Duration;

use nervix_proto::{
    CONTROL_MESSAGE_BYTES_MAX,
    v1::{
        DescribeEntityRequest, DescribeEntityResponse, ExecuteRequest, ExecuteResponse,
        control_client::ControlClient,
    },
};
use tonic::{
    Request, Response, Status,
    metadata::MetadataMap,
    transport::{Channel, Endpoint},
};

/// Marks a call that was passed on.
const FORWARDED: &str = "nervix-forwarded";

/// How long connecting to another control plane may take.
const CONNECT_BOUND: Duration = Duration::from_secs(2);

pub(super) fn was_forwarded(metadata: &MetadataMap) -> bool {
    metadata.contains_key(FORWARDED)
}

/// The other control plane's answer; `None` when it cannot be reached.
pub(super) async fn execute(
    address: &str,
    request: &ExecuteRequest,
) -> Option<Result<Response<ExecuteResponse>, Status>> {
    let mut client = connect(address).await?;
    Some(client.execute(marked(request.clone())).await)
}

/// The other control plane's answer; `None` when it cannot be reached.
pub(super) async fn describe(
    address: &str,
    request: &DescribeEntityRequest,
) -> Option<Result<Response<DescribeEntityResponse>, Status>> {
    let mut client = connect(address).await?;
    Some(client.describe_entity(marked(request.clone())).await)
}

fn marked<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request
        .metadata_mut()
        .insert(FORWARDED, tonic::metadata::MetadataValue::from_static("1"));
    request
}

async fn connect(address: &str) -> Option<ControlClient<Channel>> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))
        .ok()?
        .connect_timeout(CONNECT_BOUND);
    match endpoint.connect().await {
        Ok(channel) => Some(
            ControlClient::new(channel)
                .max_decoding_message_size(CONTROL_MESSAGE_BYTES_MAX)
                .max_encoding_message_size(CONTROL_MESSAGE_BYTES_MAX),
        ),
        Err(error) => {
            tracing::warn!(%address, %error, "the control plane of the executing worker cannot be reached");
            None
        }
    }
}
