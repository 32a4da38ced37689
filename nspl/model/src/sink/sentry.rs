//! `TO SENTRY c`: one event, in an envelope of its own, a payload (emitters.txt "Sentry").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, CodecRule, ModeForm, ModeRule, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SentrySinkDef {
    /// The project.
    pub client: Arc<ClientDef>,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    codecs: CodecRule::Json,
    batch_program: true,
    ..Capabilities::payload(SinkKind::Sentry, &[ModeRule::plain(ModeForm::Ack)])
};
