//! `TO SYSLOG c`: one RFC 5424 frame a payload (emitters.txt "Syslog").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, CodecRule, ModeRule, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyslogSinkDef {
    /// How to reach the server, and how frames travel.
    pub client: Arc<ClientDef>,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    codecs: CodecRule::Syslog,
    ..Capabilities::payload(SinkKind::Syslog, &[ModeRule::NO_ACK])
};
