use std::collections::HashMap;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::{Refusal, Remedy};

fn status(code: Code, reason: &str, location: Option<&str>) -> Status {
    let metadata = location.map(|place| ("location".to_owned(), place.to_owned()));
    let metadata: HashMap<String, String> = metadata.into_iter().collect();
    Status::with_error_details(
        code,
        "why",
        ErrorDetails::with_error_info(reason, "nervix", metadata),
    )
}

#[test]
fn reason_and_location_are_read_from_the_details() {
    let refusal = Refusal::from_status(&status(Code::Unavailable, "moved", Some("grpc://b:1")));
    assert_eq!(refusal.reason.as_deref(), Some("moved"));
    assert_eq!(refusal.location.as_deref(), Some("grpc://b:1"));
    assert_eq!(refusal.remedy(), Remedy::ComeBack);
}

#[test]
fn details_that_are_missing_or_garbage_leave_the_status() {
    let refusal = Refusal::from_status(&Status::with_details(
        Code::Internal,
        "x",
        vec![0xff, 0xff].into(),
    ));
    assert_eq!((refusal.reason, refusal.location), (None, None));
}

#[test]
fn each_end_of_a_stream_has_its_remedy() {
    let table = [
        (Code::NotFound, "dropped", Remedy::GiveUp),
        (Code::NotFound, "", Remedy::LookAgain),
        (Code::Unavailable, "moved", Remedy::ComeBack),
        (Code::Unavailable, "draining", Remedy::ComeBack),
        (Code::Unavailable, "stopped", Remedy::ComeBack),
        (Code::Unavailable, "interrupted", Remedy::ComeBack),
        (Code::Unavailable, "starting", Remedy::ComeBack),
        (Code::FailedPrecondition, "changed", Remedy::GiveUp),
        (Code::ResourceExhausted, "too_large", Remedy::GiveUp),
        (Code::InvalidArgument, "", Remedy::GiveUp),
        (Code::Unimplemented, "", Remedy::GiveUp),
        (Code::Internal, "", Remedy::ComeBack),
        (Code::Cancelled, "", Remedy::ComeBack),
        (Code::Unknown, "", Remedy::ComeBack),
    ];
    for (code, reason, remedy) in table {
        assert_eq!(
            Refusal::from_status(&status(code, reason, None)).remedy(),
            remedy,
            "{code:?} {reason}"
        );
    }
}
