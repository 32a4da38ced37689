//! What a destination can do, as plain data: every generic rule reads it, none matches on a product.

use crate::{CodecDef, CodecForm, HeaderForm, IdentifierForm, JaqFormat, ModeForm, SinkKind, WireFormat};

/// The row of one destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// Whose row it is.
    pub kind: SinkKind,
    /// Which workers run it.
    pub build: Build,
    /// How it is written to; selects the driver.
    pub shape: Shape,
    /// A connector CLIENT object.
    pub client: Presence,
    /// What a record becomes.
    pub body: Body,
    /// The codecs that it takes, where it takes one.
    pub codecs: CodecRule,
    /// The forms of MODE that it takes.
    pub modes: &'static [ModeRule],
    /// The BATCH clause.
    pub batch: Presence,
    /// Whether BATCH needs a codec with ON EMITTING BATCH.
    pub batch_program: bool,
    /// The most that BATCH MAX SIZE may say, in bytes.
    pub batch_bytes_max: Option<u64>,
    /// Whether BATCH MAX SIZE has to fit a Flight message (flight.md "Ends and limits").
    pub bounded_by_flight: bool,
    /// `write_header`.
    pub headers: HeaderRule,
    /// What names and values of headers may be.
    pub header_form: HeaderForm,
    /// ON CONFLICT.
    pub conflict: ConflictRule,
    /// How it reads the names of tables, columns and fields.
    pub identifiers: IdentifierForm,
    /// COMMIT EACH.
    pub commit: bool,
}

/// `--flight-max-message` of a worker that says nothing else, in bytes (flight.md "Ends and limits").
pub const FLIGHT_MESSAGE_BYTES_DEFAULT: u32 = 64 * 1024 * 1024;

/// Which workers run a kind of sink or source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// All of them.
    Every,
    /// Those that were built with this feature of the executable.
    Feature(&'static str),
    /// None of this release: it is checked, and cannot be applied.
    None,
}

/// The five shapes of writing; one driver each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Encoded payloads, each confirmed by itself.
    Payload,
    /// Rows mapped to columns or documents.
    Rows,
    /// One prepared request per record, in order.
    Request,
    /// Staged locally, committed later.
    Staged,
    /// Consumers that come for it.
    Session,
}

/// Whether a clause stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It must.
    Required,
    /// It may.
    Optional,
    /// It must not.
    Barred,
}

/// What a record becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// Arrow columns of a declared schema; INHERIT, SET and WHERE.
    Native,
    /// What ENCODE USING makes of a constructed record.
    Codec,
    /// ENCODE USING or WITHOUT BODY.
    CodecOrNone,
    /// A VALUES mapping; no construction.
    Values,
}

/// The codecs that a destination takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodecRule {
    /// Every codec that can emit.
    Any,
    /// Those that write JSON.
    Json,
    /// FROM SYSLOG.
    Syslog,
}

/// One form of MODE that a destination takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModeRule {
    /// Its words.
    pub form: ModeForm,
    /// Whether SEQUENTIAL or PARALLEL MAX n has to follow; else neither may.
    pub windowed: bool,
    /// ACK TIMEOUT.
    pub timeout: Presence,
}

/// What becomes of repeated header writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderRule {
    /// Header writes are refused.
    Refused,
    /// Every value is kept, in order.
    Repeated,
    /// The last write of a name wins.
    LastWins,
}

/// ON CONFLICT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConflictRule {
    /// The clause is refused.
    Refused,
    /// DO UPDATE needs a target, DO NOTHING may have one.
    TargetForUpdate,
    /// A target is refused.
    NoTarget,
    /// A target is required.
    TargetRequired,
}

impl ModeRule {
    /// `NO_ACK`: the client's own acceptance.
    pub(crate) const NO_ACK: ModeRule = ModeRule::plain(ModeForm::NoAck);

    /// `ACK` alone: each request has one answer, and the client's request timeout bounds it.
    pub(crate) const ANSWERED: &'static [ModeRule] = &[ModeRule::plain(ModeForm::Ack)];

    /// A form without a window; what bounds its answer, if it has one, is the client's request timeout.
    pub(crate) const fn plain(form: ModeForm) -> ModeRule {
        ModeRule {
            form,
            windowed: false,
            timeout: Presence::Barred,
        }
    }

    /// A form with a window of confirmations, each bounded by ACK TIMEOUT.
    pub(crate) const fn confirmed(form: ModeForm) -> ModeRule {
        ModeRule {
            form,
            windowed: true,
            timeout: Presence::Required,
        }
    }
}

impl CodecRule {
    /// Whether it takes the codec.
    pub fn takes(self, codec: &CodecDef) -> bool {
        match self {
            CodecRule::Any => true,
            CodecRule::Json => match &codec.form {
                CodecForm::Schemaful { wire, .. } => wire.format == WireFormat::Json,
                CodecForm::Jaq { format, .. } => *format == JaqFormat::Json,
                CodecForm::Protobuf(_) | CodecForm::Syslog => false,
            },
            CodecRule::Syslog => matches!(codec.form, CodecForm::Syslog),
        }
    }
}

impl Capabilities {
    /// A destination of encoded payloads with what most of them have in common: any codec, an optional BATCH, no headers, and no
    /// worker that runs it.
    pub(crate) const fn payload(kind: SinkKind, modes: &'static [ModeRule]) -> Capabilities {
        Capabilities {
            kind,
            build: Build::None,
            shape: Shape::Payload,
            client: Presence::Required,
            body: Body::Codec,
            codecs: CodecRule::Any,
            modes,
            batch: Presence::Optional,
            batch_program: false,
            batch_bytes_max: None,
            bounded_by_flight: false,
            headers: HeaderRule::Refused,
            header_form: HeaderForm::Text,
            conflict: ConflictRule::Refused,
            identifiers: IdentifierForm::Text,
            commit: false,
        }
    }

    /// A database: rows mapped by VALUES, written in batches that one answer settles.
    pub(crate) const fn rows(kind: SinkKind, conflict: ConflictRule) -> Capabilities {
        Capabilities {
            shape: Shape::Rows,
            body: Body::Values,
            batch: Presence::Required,
            conflict,
            ..Capabilities::payload(kind, ModeRule::ANSWERED)
        }
    }

    /// The rule of a form of MODE, when the destination takes it.
    pub fn mode(&self, form: ModeForm) -> Option<&'static ModeRule> {
        self.modes.iter().find(|rule| rule.form == form)
    }
}
