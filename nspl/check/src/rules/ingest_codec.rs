//! Messages of Kafka are bytes; what applications write is Arrow (companion section 8, rulings section 3).

use nspl_syntax::{Name, Span};

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1220",
    title: "An ingestor FROM KAFKA decodes with a codec that can decode; one FROM CLIENT has no codec",
    fails: "BEGIN; CREATE CLIENT k TYPE KAFKA CONFIG {'bootstrap.servers' = 'h:9092'};
CREATE CODEC c FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS ON EMITTING '.';
CREATE INGESTOR i FROM KAFKA k TOPIC t OFFSET BY CONSUMER GROUP g MODE ACK SEQUENTIAL DECODE USING c
  TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG; COMMIT;",
    passes: "BEGIN; CREATE CLIENT k TYPE KAFKA CONFIG {'bootstrap.servers' = 'h:9092'};
CREATE CODEC c FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS ON INGESTION '.';
CREATE INGESTOR i FROM KAFKA k TOPIC t OFFSET BY CONSUMER GROUP g MODE ACK SEQUENTIAL DECODE USING c
  TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG; COMMIT;",
};

/// What applications write needs no decoding.
pub(crate) fn barred(codec: &Name) -> Diagnostic {
    RULE.fault(codec.span, "an ingestor FROM CLIENT takes no DECODE USING")
        .help("leave it out: applications write Arrow")
}

/// Messages are bytes.
pub(crate) fn missing(place: Span) -> Diagnostic {
    RULE.fault(place, "an ingestor FROM KAFKA needs DECODE USING")
        .help("write DECODE USING <codec> behind MODE")
}

/// The codec has programs, and none for this direction.
pub(crate) fn decodes_not(codec: &Name) -> Diagnostic {
    RULE.fault(
        codec.span,
        format!("CODEC {} has no ON INGESTION, so it cannot decode", codec.text),
    )
    .help("give it ON INGESTION '...'; '.' takes the value as it is")
}
