//! Names, types, schemas, typed expressions and definitions of NSPL.
//!
//! What the checker hands to the planes: every value here has been judged, every name is resolved to an index,
//! and every definition holds what it refers to, so that a reader needs no catalog. Spans and texts stay in the
//! syntax tree; arrow types, evaluation and input or output are no part of this crate. What the checker and the planes have
//! to read or write alike is read and written here, once: JSON ([`json`]), the text of DATETIME ([`read_datetime`],
//! [`DateTimeText`]), that of floats ([`FloatText`]), and regular expressions ([`pattern`]).

mod branch;
mod capabilities;
mod client;
mod codec;
mod construction;
mod content;
mod data_type;
mod datetime;
mod deep;
mod definition;
mod dependency;
mod domain;
mod emitter;
mod entity;
mod error_policy;
mod expr;
mod float;
mod flush;
mod function;
mod header;
pub mod http;
mod identifier;
mod ingestor;
pub mod json;
mod json_path;
mod literal;
mod mode;
pub mod pattern;
mod quantity;
pub mod record_error;
mod relay;
mod resource;
mod schema;
mod sink;
pub mod sqs;
mod syslog;
mod terminal;
mod wire_schema;

pub use branch::BranchDef;
pub use capabilities::{
    Body, Build, Capabilities, CodecRule, ConflictRule, FLIGHT_MESSAGE_BYTES_DEFAULT, HeaderRule, ModeRule,
    Presence, Shape,
};
pub use client::{
    BondTakes, ClientDef, ClientKey, ClientKind, ClientShape, ConfigValue, KeyBond, KeyShape, MountDef,
    TlsWhen, placeholders,
};
pub use codec::{CodecDef, CodecForm, JaqFormat, JaqPrograms, ProtobufDef};
pub use construction::{Assignment, Construction, Step};
pub use content::{Content, HeaderWrite};
pub use data_type::DataType;
pub use datetime::{DateTimeText, Unread, read_datetime};
pub use deep::deep;
pub use definition::Definition;
pub use dependency::{Dependency, Resolution};
pub use domain::{DomainDef, Pacing};
pub use emitter::{Attachment, BatchLimits, Collect, EmitterDef, SourceDef};
pub use entity::{EntityKey, EntityKind};
pub use error_policy::{ErrorRoute, GeneralPolicy, MessagePolicy};
pub use expr::{BinaryOp, CastError, Expr, ExprKind, FieldRef, Scope};
pub use float::{Float, FloatText};
pub use flush::Flush;
pub use function::{Function, Nullability, Parameter, ResultType, Signature};
pub use header::{HeaderBounds, HeaderForm, HeaderOverflow, HeaderTally};
pub use identifier::IdentifierForm;
pub use ingestor::{IngestMode, IngestorDef, RouteDef, SourceBuild, SourceKind};
pub use json_path::{JsonPath, JsonPathError, JsonStep};
pub use literal::Literal;
pub use mode::{Confirmation, Mode, ModeForm, RetryPolicy, Window};
pub use quantity::{DurationText, SizeText};
pub use relay::{DEFAULT_CAPACITY, RelayDef};
pub use resource::ResourceDef;
pub use schema::{Field, Schema};
pub use sink::{
    ClickHouseSinkDef, ClientSinkDef, CommitPolicy, Conflict, ConflictAction, HistogramFields, HttpSinkDef,
    IcebergSinkDef, IcebergTable, KafkaSinkDef, LogFields, MongoDbSinkDef, MqttSinkDef, MySqlSinkDef,
    NatsSinkDef, ObjectStore, OrderingGroup, OtelKey, OtelMetric, OtelNeed, OtelPoints, OtelResource,
    OtelScope, OtelSignal, OtelSinkDef, OtelValue, PointFields, PostgresSinkDef, PulsarSinkDef,
    RabbitMqSinkDef, RedisSinkDef, RequestDef, SentrySinkDef, SinkDef, SinkKind, SpanFields, SqsSinkDef,
    SyslogSinkDef, TableName, Temporality, ZeroMqSinkDef,
};
pub use syslog::{SYSLOG_FIELDS, SyslogField};
pub use terminal::is_obeyed;
pub use wire_schema::{WireField, WireFormat, WireMode, WireSchemaDef, WireType};
