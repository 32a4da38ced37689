//! Connections: one HTTP/2 channel an address, with the limits of the client protocol.
//!
//! It resolves no names and keeps no pool; who connects again is decided by the sessions.

use std::{error::Error as _, time::Duration};

use arrow_flight::flight_service_client::FlightServiceClient;
use nervix_proto::{CONTROL_MESSAGE_BYTES_MAX, v1::control_client::ControlClient};
use tonic::{
    Code,
    transport::{Channel, Endpoint},
};

use crate::{address::Address, error::Error, refusal::Refusal};

/// How long a connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// An idle or silent connection is pinged this often.
const PING_EVERY: Duration = Duration::from_secs(10);
/// A peer that has not answered a ping for this long is lost.
const PING_TIMEOUT: Duration = Duration::from_secs(20);
/// Bytes of one stream that may be on the way to this client before it reads.
const STREAM_WINDOW_BYTES: u32 = 8 * 1024 * 1024;
/// Bytes of one connection that may be on the way to this client before it reads.
const CONNECTION_WINDOW_BYTES: u32 = 16 * 1024 * 1024;
/// Upper bound of one gRPC message in either direction, as the server's default `--flight-max-message`.
pub(crate) const FLIGHT_MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// What gRPC, Flight and metadata add around the header and body of one record batch, at most.
pub(crate) const FLIGHT_OVERHEAD_BYTES_MAX: usize = 64 * 1024;

fn endpoint(address: &Address) -> Result<Endpoint, Error> {
    let endpoint = Endpoint::from_shared(address.uri()).map_err(|error| Error::BadAddress {
        address: address.to_string(),
        message: error.to_string(),
    })?;
    Ok(endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_TIMEOUT)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES))
}

async fn channel(address: &Address) -> Result<Channel, Error> {
    endpoint(address)?
        .connect()
        .await
        .map_err(|error| Error::Unreachable {
            address: address.to_string(),
            message: innermost(&error),
        })
}

/// The control API at `address`; the connection comes back by itself when it breaks.
pub(crate) async fn control(address: &Address) -> Result<ControlClient<Channel>, Error> {
    Ok(ControlClient::new(channel(address).await?)
        .max_decoding_message_size(CONTROL_MESSAGE_BYTES_MAX)
        .max_encoding_message_size(CONTROL_MESSAGE_BYTES_MAX))
}

/// Arrow Flight at `address`.
pub(crate) async fn flight(
    address: &Address,
    message_max: usize,
) -> Result<FlightServiceClient<Channel>, Error> {
    Ok(FlightServiceClient::new(channel(address).await?)
        .max_decoding_message_size(message_max)
        .max_encoding_message_size(message_max))
}

/// Why a call of the control API failed: the server refused it, was not reached, or nobody says what came of it.
pub(crate) fn failed_call(address: &Address, status: &tonic::Status) -> Error {
    let address = address.to_string();
    if let Some(cause) = status.source() {
        let message = innermost(cause);
        return match never_connected(cause) {
            true => Error::Unreachable { address, message },
            false => Error::Unanswered { address, message },
        };
    }
    match status.code() {
        Code::Unavailable | Code::Unknown | Code::Cancelled | Code::DeadlineExceeded => Error::Unanswered {
            address,
            message: status.message().to_owned(),
        },
        _ => Error::Refused(Refusal::from_status(status)),
    }
}

/// Whether there was no connection that the call could have gone over.
fn never_connected(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(here) = cause {
        if here.is::<tonic::ConnectError>() {
            return true;
        }
        cause = here.source();
    }
    false
}

/// The cause that says something: tonic's own text is only "transport error".
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
