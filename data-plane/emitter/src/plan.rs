//! A definition, compiled once for all its batches.
//!
//! Invariant: whatever the definition asks for and this engine does not do is an error here, never silence later
//! (rulings section 9, What can run).

use std::sync::Arc;
use std::time::Duration;

use nervix_expr::{CompileError, Constructor, FailureSite, Headers, Predicate, RequestFields};
use nervix_relay::Relay;
use nervix_sink::{Lane, LaneId};
use nspl_model::http::Origin;
use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{
    BatchLimits, Collect, CommitPolicy, Confirmation, Content, EmitterDef, GeneralPolicy, MessagePolicy,
    RetryPolicy, Shape,
};
use thiserror::Error;

use crate::error_route::ErrorRoute;
use crate::lane::LaneKey;
use crate::wire_key::WireKey;

/// Payloads of one write in a MODE without confirmations: what may be lost at once between two flushes of the client.
const ACCEPTED_WRITE_MAX: u32 = 1_024;

/// Why an emitter could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// An expression does not compile; the checker should have refused it.
    #[error("an expression of emitter {emitter} does not compile: {error}")]
    Expression {
        /// Name of the emitter.
        emitter: String,
        /// What the expression engine says.
        error: CompileError,
    },
    /// The definition asks for something that this worker does not run.
    #[error("emitter {emitter} needs {what}, which this worker does not run")]
    Unsupported {
        /// Name of the emitter.
        emitter: String,
        /// The clause.
        what: &'static str,
    },
    /// What was handed over does not belong to the definition.
    #[error("emitter {emitter} was started with parts that do not fit its definition: {what}")]
    Parts {
        /// Name of the emitter.
        emitter: String,
        /// What does not fit.
        what: &'static str,
    },
}

/// A compiled definition.
pub(crate) struct Plan {
    pub(crate) domain: Arc<str>,
    pub(crate) emitter: Arc<str>,
    pub(crate) sources: Vec<SourcePlan>,
    pub(crate) collect: Option<Collect>,
    pub(crate) constructor: Constructor,
    /// METHOD and PATH; none where no record is a request.
    pub(crate) request: Option<RequestFields>,
    /// INVOKE; none without a call.
    pub(crate) headers: Option<Headers>,
    /// Name of the codec of ENCODE USING.
    pub(crate) codec: Option<Arc<str>>,
    /// BATCH; without it every record is a payload of its own.
    pub(crate) limits: Option<BatchLimits>,
    /// COMMIT EACH, where records are staged first.
    pub(crate) commit: Option<CommitPolicy>,
    /// How the destination is written to.
    pub(crate) shape: Shape,
    pub(crate) completion: Completion,
    pub(crate) window: u32,
    pub(crate) retry: RetryPolicy,
    pub(crate) policy: Policy,
    pub(crate) general: GeneralPolicy,
    /// Where records fail that the destination refuses.
    pub(crate) rejected: Arc<FailureSite>,
}

/// When a payload counts as delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    /// When the client has taken it and its flush has ended well.
    Accepted,
    /// When the destination has confirmed it; ACK TIMEOUT bounds that where there is one.
    Confirmed { timeout: Option<Duration> },
}

/// One relay of the FROM list.
pub(crate) struct SourcePlan {
    pub(crate) relay: Arc<str>,
    pub(crate) filter: Option<Predicate>,
    /// How the values of its branch key stand on the wire; none in an unbranched relay.
    pub(crate) key: Option<WireKey>,
}

/// ON MESSAGE ERROR.
pub(crate) enum Policy {
    Ignore,
    Log,
    SendTo(Box<ErrorRoute>),
}

impl Policy {
    /// The error route reads the source rows.
    pub(crate) fn error_route(&self) -> Option<&ErrorRoute> {
        match self {
            Self::SendTo(route) => Some(route),
            Self::Ignore | Self::Log => None,
        }
    }

    /// Whether the error route reads finished records, so that they are kept beyond encoding.
    pub(crate) fn reads_partial(&self) -> bool {
        self.error_route().is_some_and(ErrorRoute::reads_partial)
    }
}

impl Plan {
    /// Compiles `def`; `error_relay` is the relay of its SEND TO.
    pub(crate) fn compile(def: &EmitterDef, error_relay: Option<Arc<Relay>>) -> Result<Self, StartError> {
        let expression = |error| StartError::Expression {
            emitter: def.name.clone(),
            error,
        };
        let (completion, window) = match &def.mode.confirmation {
            Confirmation::None => (Completion::Accepted, ACCEPTED_WRITE_MAX),
            Confirmation::Acked { window, timeout } => {
                (Completion::Confirmed { timeout: *timeout }, window.size())
            }
        };
        let mut sources = Vec::with_capacity(def.sources.len());
        for source in &def.sources {
            let filter = source
                .filter
                .as_ref()
                .map(|expr| Predicate::compile(expr, Operation::Filter));
            let filter = filter.transpose().map_err(expression)?;
            let key = source.relay.branch.as_ref();
            let key = key.map(|branch| WireKey::compile(&branch.schema)).transpose();
            sources.push(SourcePlan {
                relay: source.relay.name.as_str().into(),
                filter,
                key: key.map_err(expression)?,
            });
        }
        let policy = policy(def, error_relay)?;
        let constructor = Constructor::compile(&def.construction, &def.output).map_err(expression)?;
        let constructor = match policy.error_route() {
            Some(route) if route.reads_partial() => constructor,
            _ => constructor.without_partial_output(),
        };
        Ok(Self {
            domain: def.domain.as_str().into(),
            emitter: def.name.as_str().into(),
            sources,
            collect: def.collect,
            constructor,
            request: request(def)?,
            headers: headers(def).map_err(expression)?,
            codec: match &def.content {
                Content::Encoded(codec) => Some(codec.name.as_str().into()),
                Content::Columns | Content::Mapped | Content::Absent => None,
            },
            limits: def.batch,
            commit: def.sink.commit(),
            shape: def.sink.kind().capabilities().shape,
            completion,
            window,
            retry: def.mode.retry,
            policy,
            general: def.on_general_error,
            rejected: Arc::new(FailureSite {
                code: ErrorCode::External,
                operation: Operation::Publish,
                operation_index: None,
                fields: Vec::new(),
            }),
        })
    }

    /// What a destination may know of the lane of `key`.
    pub(crate) fn lane(&self, id: LaneId, key: &LaneKey) -> Lane {
        let source = self.sources.get(key.source);
        let branch = key.branch.as_ref();
        let wire_key = source.and_then(|source| source.key.as_ref());
        Lane {
            id,
            source: source.map_or_else(|| "".into(), |source| source.relay.clone()),
            branch: branch.map_or_else(|| "".into(), |branch| branch.fingerprint().clone()),
            key: branch.and_then(|branch| wire_key?.of(branch.key_encoding())),
        }
    }
}

fn request(def: &EmitterDef) -> Result<Option<RequestFields>, StartError> {
    let Some(request) = def.sink.request() else {
        return Ok(None);
    };
    let origin = Origin::read(request.endpoint).map_err(|what| StartError::Parts {
        emitter: def.name.clone(),
        what,
    })?;
    let has_body = def.content != Content::Absent;
    let fields = RequestFields::compile(request.method, request.path, origin, has_body);
    let fields = fields.map_err(|error| StartError::Expression {
        emitter: def.name.clone(),
        error,
    })?;
    Ok(Some(fields))
}

fn headers(def: &EmitterDef) -> Result<Option<Headers>, CompileError> {
    if def.headers.is_empty() {
        return Ok(None);
    }
    let can = def.sink.kind().capabilities();
    Headers::compile(&def.headers, can.headers, can.header_form).map(Some)
}

fn policy(def: &EmitterDef, error_relay: Option<Arc<Relay>>) -> Result<Policy, StartError> {
    match &def.on_message_error {
        MessagePolicy::Ignore => Ok(Policy::Ignore),
        MessagePolicy::Log => Ok(Policy::Log),
        MessagePolicy::SendTo(route) => {
            let what = "SEND TO without its relay";
            let parts = || StartError::Parts {
                emitter: def.name.clone(),
                what,
            };
            let relay = error_relay.ok_or_else(parts)?;
            let input = def.sources.first().map(|source| source.relay.schema.clone());
            let schemas = (input.unwrap_or_else(|| def.output.clone()), def.output.clone());
            let route = ErrorRoute::compile(route, relay, schemas);
            let route = route.map_err(|error| StartError::Expression {
                emitter: def.name.clone(),
                error,
            });
            Ok(Policy::SendTo(Box::new(route?)))
        }
    }
}
