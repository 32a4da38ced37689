//! A definition, compiled once for all its batches.
//!
//! Invariant: whatever the definition asks for and this engine does not do is an error here, never silence later
//! (rulings section 9, What can run).

use std::sync::Arc;

use nervix_expr::{CompileError, Constructor, Predicate};
use nervix_relay::Relay;
use nspl_model::record_error::Operation;
use nspl_model::{BatchLimits, Collect, Confirmation, EmitterDef, GeneralPolicy, MessagePolicy, RetryPolicy};
use thiserror::Error;

use crate::error_route::ErrorRoute;

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
    pub(crate) limits: BatchLimits,
    pub(crate) window: u32,
    pub(crate) retry: RetryPolicy,
    pub(crate) policy: Policy,
    pub(crate) general: GeneralPolicy,
}

/// One relay of the FROM list.
pub(crate) struct SourcePlan {
    pub(crate) relay: Arc<str>,
    pub(crate) filter: Option<Predicate>,
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
}

impl Plan {
    /// Compiles `def`; `error_relay` is the relay of its SEND TO.
    pub(crate) fn compile(def: &EmitterDef, error_relay: Option<Arc<Relay>>) -> Result<Self, StartError> {
        let expression = |error| StartError::Expression {
            emitter: def.name.clone(),
            error,
        };
        let unsupported = |what| StartError::Unsupported {
            emitter: def.name.clone(),
            what,
        };
        let Confirmation::Acked { window, .. } = &def.mode.confirmation else {
            return Err(unsupported("a MODE without confirmations"));
        };
        let limits = def
            .batch
            .ok_or_else(|| unsupported("a session sink without BATCH"))?;
        let mut sources = Vec::with_capacity(def.sources.len());
        for source in &def.sources {
            let filter = source
                .filter
                .as_ref()
                .map(|expr| Predicate::compile(expr, Operation::Filter));
            let filter = filter.transpose().map_err(expression)?;
            sources.push(SourcePlan {
                relay: source.relay.name.as_str().into(),
                filter,
            });
        }
        let policy = match &def.on_message_error {
            MessagePolicy::Ignore => Policy::Ignore,
            MessagePolicy::Log => Policy::Log,
            MessagePolicy::SendTo(route) => {
                let what = "SEND TO without its relay";
                let parts = || StartError::Parts {
                    emitter: def.name.clone(),
                    what,
                };
                let relay = error_relay.ok_or_else(parts)?;
                let input = def.sources.first().map(|source| source.relay.schema.clone());
                let schemas = (input.unwrap_or_else(|| def.output.clone()), def.output.clone());
                Policy::SendTo(Box::new(
                    ErrorRoute::compile(route, relay, schemas).map_err(expression)?,
                ))
            }
        };
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
            limits,
            window: window.size(),
            retry: def.mode.retry,
            policy,
            general: def.on_general_error,
        })
    }
}
