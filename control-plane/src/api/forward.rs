//! Passing a call on to the control plane that a worker is attached to, and asking others for their nodes.
//!
//! Only calls that need the worker are passed on: what has to drain, what only the worker knows, and what is about its
//! node. A call is passed on once at most, and one that was passed on asks no further. When the other control plane cannot be reached the call is carried out here, as far as that goes; one that
//! goes away in the middle, or is not done in time, fails the call, since nobody here knows how far it came.

use std::time::Duration;

use futures::{FutureExt, future::BoxFuture};
use nervix_proto::{
    CONTROL_MESSAGE_BYTES_MAX,
    v1::{
        DescribeEntityRequest, DescribeEntityResponse, ExecuteRequest, ExecuteResponse,
        GetClusterStatusRequest, control_client::ControlClient,
    },
};
use tonic::{
    Request, Response, Status,
    metadata::MetadataMap,
    transport::{Channel, Endpoint},
};

use crate::cluster::{NodeState, Others, Seen};

/// Marks a call that was passed on.
const FORWARDED: &str = "nervix-forwarded";

/// How long connecting to another control plane may take.
const CONNECT_BOUND: Duration = Duration::from_secs(2);

/// A silent control plane is pinged after this long.
const PING_AFTER: Duration = Duration::from_secs(10);

/// How long it may take to answer that.
const PING_ANSWER_MAX: Duration = Duration::from_secs(10);

/// What a call may take besides its drains: judging it, storing what it changes, asking the worker.
const ANSWER_BOUND: Duration = Duration::from_secs(60);

/// What telling of its nodes may take: it asks nobody for that.
const NODES_BOUND: Duration = Duration::from_secs(2);

pub(super) fn was_forwarded(metadata: &MetadataMap) -> bool {
    metadata.contains_key(FORWARDED)
}

/// The other control plane's answer; `None` when it cannot be reached.
pub(super) async fn execute(
    address: &str,
    request: &ExecuteRequest,
    drain_bound: Duration,
) -> Option<Result<Response<ExecuteResponse>, Status>> {
    let mut client = connect(address).await?;
    let bound = execution_bound(&request.script, drain_bound);
    Some(client.execute(marked(request.clone(), bound)).await)
}

/// How long a script may take: each statement of it may have to drain.
fn execution_bound(script: &str, drain_bound: Duration) -> Duration {
    let statements = script.matches(';').count().saturating_add(1);
    let statements = u32::try_from(statements).unwrap_or(u32::MAX);
    drain_bound
        .saturating_mul(statements)
        .saturating_add(ANSWER_BOUND)
}

/// The other control plane's answer; `None` when it cannot be reached.
pub(super) async fn describe(
    address: &str,
    request: &DescribeEntityRequest,
) -> Option<Result<Response<DescribeEntityResponse>, Status>> {
    let mut client = connect(address).await?;
    Some(
        client
            .describe_entity(marked(request.clone(), ANSWER_BOUND))
            .await,
    )
}

/// The other control planes, by the addresses that the records of their nodes have.
pub(crate) struct OtherControlPlanes;

impl Others for OtherControlPlanes {
    fn attached<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Option<Vec<Seen>>> {
        async move {
            let mut client = connect(address).await?;
            let asked = client.get_cluster_status(marked(GetClusterStatusRequest {}, NODES_BOUND));
            let nodes = asked.await.ok()?.into_inner().nodes;
            let there = nodes
                .into_iter()
                .filter(|node| node.state == NodeState::Connected.word());
            let seen = there.map(|node| Seen {
                name: node.name,
                applied_revision: node.applied_revision,
                last_seen_s: node.last_seen_s,
            });
            Some(seen.collect())
        }
        .boxed()
    }
}

fn marked<T>(message: T, bound: Duration) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(bound);
    request
        .metadata_mut()
        .insert(FORWARDED, tonic::metadata::MetadataValue::from_static("1"));
    request
}

async fn connect(address: &str) -> Option<ControlClient<Channel>> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))
        .ok()?
        .connect_timeout(CONNECT_BOUND)
        .http2_keep_alive_interval(PING_AFTER)
        .keep_alive_timeout(PING_ANSWER_MAX);
    match endpoint.connect().await {
        Ok(channel) => Some(
            ControlClient::new(channel)
                .max_decoding_message_size(CONTROL_MESSAGE_BYTES_MAX)
                .max_encoding_message_size(CONTROL_MESSAGE_BYTES_MAX),
        ),
        Err(error) => {
            tracing::warn!(%address, %error, "another control plane cannot be reached");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ANSWER_BOUND, execution_bound};

    #[test]
    fn a_call_may_take_longer_than_the_drains_of_its_statements() {
        let drain = Duration::from_secs(60);
        assert_eq!(execution_bound("KICK EMITTER e", drain), drain + ANSWER_BOUND);
        assert_eq!(
            execution_bound("DROP EMITTER e; STOP;", drain),
            3 * drain + ANSWER_BOUND
        );
        assert_eq!(execution_bound(";", Duration::MAX), Duration::MAX);
    }
}
