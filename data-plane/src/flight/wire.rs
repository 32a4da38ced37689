//! From what the worker means to the messages of `nervix.client.v1` and Flight; the only place that fills them.

use arrow::datatypes::SchemaRef;
use arrow_flight::{FlightData, PutResult};
use bytes::Bytes;
use nervix_proto::client::v1::{
    Answer, Delivery, Outcome, Revoked, ServerMessage, answer, outcome, revoked, server_message::Body,
};
use nervix_sink_client::{AnswerResult, Delivery as SessionDelivery, RevokedReason};
use nervix_source_client::{AnswerRange, Status};

use super::{
    metadata::{Encoding, write},
    response::Message,
};

/// The answers of a range of positions.
pub(crate) fn put_result(range: AnswerRange, encoding: Encoding) -> PutResult {
    let status = match range.answer.status {
        Status::Done => answer::Status::Done,
        Status::Refused => answer::Status::Refused,
        Status::Unresolved => answer::Status::Unresolved,
    };
    let answer = Answer {
        first: range.first,
        last: range.last,
        status: status.into(),
        code: range.answer.code,
        message: range.answer.message,
        retry_after_ms: u64::try_from(range.answer.retry_after.as_millis()).unwrap_or(u64::MAX),
    };
    PutResult {
        app_metadata: metadata(Body::Answer(answer), encoding),
    }
}

/// The schema message that opens a consumer's stream.
pub(crate) fn schema_data(schema: &SchemaRef) -> FlightData {
    let message = nervix_columns::ipc::schema_message(schema);
    FlightData {
        flight_descriptor: None,
        data_header: message.header,
        app_metadata: Bytes::new(),
        data_body: message.body,
    }
}

/// One delivery with its record batch.
pub(crate) fn delivery_message(delivery: SessionDelivery, encoding: Encoding) -> Message {
    let payload = delivery.payload;
    let data_header = payload.head.clone();
    let body = Body::Delivery(Delivery {
        r#ref: delivery.reference,
        batch: delivery.batch,
        attempt: delivery.attempt,
        source: delivery.source.to_string(),
        branch: delivery.branch.to_string(),
        rows: delivery.rows,
        ack_timeout_ms: u64::try_from(delivery.ack_timeout.as_millis()).unwrap_or(u64::MAX),
    });
    let data = FlightData {
        data_header,
        app_metadata: metadata(body, encoding),
        ..FlightData::default()
    };
    Message {
        data,
        payload: Some(payload),
    }
}

/// What became of an ack, retry or reject.
pub(crate) fn outcome_data(reference: String, result: AnswerResult, encoding: Encoding) -> FlightData {
    let result = match result {
        AnswerResult::Confirmed => outcome::Result::Confirmed,
        AnswerResult::Retrying => outcome::Result::Retrying,
        AnswerResult::Rejected => outcome::Result::Rejected,
        AnswerResult::Stale => outcome::Result::Stale,
    };
    metadata_only(
        Body::Outcome(Outcome {
            r#ref: reference,
            result: result.into(),
        }),
        encoding,
    )
}

/// A delivery that is taken back.
pub(crate) fn revoked_data(reference: String, reason: RevokedReason, encoding: Encoding) -> FlightData {
    let reason = match reason {
        RevokedReason::Timeout => revoked::Reason::Timeout,
        RevokedReason::Stopped => revoked::Reason::Stopped,
        RevokedReason::Changed => revoked::Reason::Changed,
    };
    metadata_only(
        Body::Revoked(Revoked {
            r#ref: reference,
            reason: reason.into(),
        }),
        encoding,
    )
}

fn metadata_only(body: Body, encoding: Encoding) -> FlightData {
    FlightData {
        app_metadata: metadata(body, encoding),
        ..FlightData::default()
    }
}

fn metadata(body: Body, encoding: Encoding) -> Bytes {
    write(&ServerMessage { body: Some(body) }, encoding)
}
