//! What a code of librdkafka means for the record that it was reported for (`emitters.txt`, "Kafka"; rulings section 9,
//! Kafka).
//!
//! Invariant: a record is refused for what it is itself, and for nothing else. Codes that stand for a whole produce request
//! are a record's own only when it was alone in it. Whatever is not known here is trouble of the brokers', and retried.

use nervix_sink::FailureKind;
use rdkafka::error::RDKafkaErrorCode as Code;

/// What a code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The request was too large, or what was in it invalid: the record's own fault if it was alone.
    RequestRefused,
    /// The request was refused for another record in it, which the broker names.
    NeighbourRefused,
    /// No record's fault.
    Trouble(FailureKind),
}

impl Verdict {
    /// What sort of trouble it is where no request was refused that others were in.
    pub(crate) fn trouble(self) -> FailureKind {
        match self {
            Self::Trouble(kind) => kind,
            Self::RequestRefused | Self::NeighbourRefused => FailureKind::Unavailable,
        }
    }
}

/// The verdict on a code that was reported for a record.
pub(crate) fn verdict(code: Code) -> Verdict {
    let kind = match code {
        Code::MessageSizeTooLarge
        | Code::MessageBatchTooLarge
        | Code::InvalidMessageSize
        | Code::InvalidRecord => return Verdict::RequestRefused,
        Code::InvalidDifferentRecord => return Verdict::NeighbourRefused,
        Code::Authentication
        | Code::SaslAuthenticationFailed
        | Code::UnsupportedSASLMechanism
        | Code::IllegalSASLState
        | Code::SecurityDisabled
        | Code::TopicAuthorizationFailed
        | Code::ClusterAuthorizationFailed
        | Code::TransactionalIdAuthorizationFailed
        | Code::DelegationTokenAuthDisabled
        | Code::DelegationTokenNotFound
        | Code::DelegationTokenAuthorizationFailed
        | Code::DelegationTokenExpired => FailureKind::Unauthorized,
        Code::UnknownTopic
        | Code::UnknownPartition
        | Code::UnknownTopicOrPartition
        | Code::UnknownTopicId
        | Code::InvalidTopic
        | Code::InvalidRequiredAcks
        | Code::InvalidConfig
        | Code::UnsupportedVersion
        | Code::UnsupportedForMessageFormat
        | Code::UnsupportedCompressionType
        | Code::UnsupportedFeature => FailureKind::Missing,
        Code::PolicyViolation | Code::ThrottlingQuotaExceeded => FailureKind::Throttled,
        Code::MessageTimedOut | Code::OperationTimedOut | Code::TimedOutQueue | Code::RequestTimedOut => {
            FailureKind::TimedOut
        }
        Code::QueueFull => FailureKind::NodeBusy,
        _ => FailureKind::Unavailable,
    };
    Verdict::Trouble(kind)
}

/// What a code that belongs to no record says of the way to the brokers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// No broker can be used now: what waits is told of it.
    Barred,
    /// One broker cannot be used, for what will not pass by itself; nothing is said of the others.
    BarredToOne,
    /// Open, as far as this is concerned.
    Open,
}

/// What a code that belongs to no record says of the way to the brokers.
pub(crate) fn way(code: Code) -> Way {
    match code {
        Code::AllBrokersDown | Code::Fatal => Way::Barred,
        Code::SSL
        | Code::Authentication
        | Code::SaslAuthenticationFailed
        | Code::UnsupportedSASLMechanism
        | Code::Resolve => Way::BarredToOne,
        _ => Way::Open,
    }
}

#[cfg(test)]
mod tests {
    use nervix_sink::FailureKind;
    use rdkafka::error::RDKafkaErrorCode as Code;

    use super::{Verdict, Way, verdict, way};

    #[test]
    fn every_code_that_a_report_can_carry_has_its_verdict() {
        use FailureKind::{Missing, NodeBusy, Throttled, TimedOut, Unauthorized, Unavailable};
        let table = [
            (Code::BadMessage, Unavailable),
            (Code::Fail, Unavailable),
            (Code::BrokerTransportFailure, Unavailable),
            (Code::Resolve, Unavailable),
            (Code::MessageTimedOut, TimedOut),
            (Code::UnknownPartition, Missing),
            (Code::UnknownTopic, Missing),
            (Code::AllBrokersDown, Unavailable),
            (Code::OperationTimedOut, TimedOut),
            (Code::QueueFull, NodeBusy),
            (Code::ISRInsufficient, Unavailable),
            (Code::SSL, Unavailable),
            (Code::Authentication, Unauthorized),
            (Code::TimedOutQueue, TimedOut),
            (Code::State, Unavailable),
            (Code::PurgeQueue, Unavailable),
            (Code::PurgeInflight, Unavailable),
            (Code::Fatal, Unavailable),
            (Code::Inconsistent, Unavailable),
            (Code::GaplessGuarantee, Unavailable),
            (Code::Unknown, Unavailable),
            (Code::InvalidMessage, Unavailable),
            (Code::UnknownTopicOrPartition, Missing),
            (Code::LeaderNotAvailable, Unavailable),
            (Code::NotLeaderForPartition, Unavailable),
            (Code::RequestTimedOut, TimedOut),
            (Code::BrokerNotAvailable, Unavailable),
            (Code::ReplicaNotAvailable, Unavailable),
            (Code::NetworkException, Unavailable),
            (Code::InvalidTopic, Missing),
            (Code::NotEnoughReplicas, Unavailable),
            (Code::NotEnoughReplicasAfterAppend, Unavailable),
            (Code::InvalidRequiredAcks, Missing),
            (Code::TopicAuthorizationFailed, Unauthorized),
            (Code::ClusterAuthorizationFailed, Unauthorized),
            (Code::InvalidTimestamp, Unavailable),
            (Code::UnsupportedVersion, Missing),
            (Code::UnsupportedForMessageFormat, Missing),
            (Code::PolicyViolation, Throttled),
            (Code::OutOfOrderSequenceNumber, Unavailable),
            (Code::DuplicateSequenceNumber, Unavailable),
            (Code::InvalidProducerEpoch, Unavailable),
            (Code::KafkaStorageError, Unavailable),
            (Code::SaslAuthenticationFailed, Unauthorized),
            (Code::UnknownProducerId, Unavailable),
            (Code::UnsupportedCompressionType, Missing),
            (Code::ThrottlingQuotaExceeded, Throttled),
            (Code::UnknownTopicId, Missing),
            (Code::RebootstrapRequired, Unavailable),
        ];
        for (code, kind) in table {
            assert_eq!(verdict(code), Verdict::Trouble(kind), "{code}");
        }
        for code in [
            Code::MessageSizeTooLarge,
            Code::MessageBatchTooLarge,
            Code::InvalidMessageSize,
            Code::InvalidRecord,
        ] {
            assert_eq!(verdict(code), Verdict::RequestRefused, "{code}");
        }
        assert_eq!(verdict(Code::InvalidDifferentRecord), Verdict::NeighbourRefused);
    }

    #[test]
    fn one_broker_that_breaks_off_bars_no_way() {
        for code in [
            Code::BrokerTransportFailure,
            Code::OperationTimedOut,
            Code::MessageTimedOut,
        ] {
            assert_eq!(way(code), Way::Open, "{code}");
        }
        for code in [Code::SSL, Code::Authentication, Code::Resolve] {
            assert_eq!(way(code), Way::BarredToOne, "{code}");
        }
        for code in [Code::AllBrokersDown, Code::Fatal] {
            assert_eq!(way(code), Way::Barred, "{code}");
        }
    }
}
