//! `TO HTTP c METHOD e PATH e`: one request a record (emitters.txt "HTTP request configuration").

use std::sync::Arc;

use crate::{
    Body, Build, Capabilities, ClientDef, Expr, HeaderForm, HeaderRule, ModeForm, ModeRule, Presence, Shape,
    SinkKind,
};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpSinkDef {
    /// The origin, with its `timeout_ms`.
    pub client: Arc<ClientDef>,
    /// Exact, non-null STRING over the finished record.
    pub method: Expr,
    /// Exact, non-null STRING over the finished record.
    pub path: Expr,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    build: Build::Feature("http"),
    shape: Shape::Request,
    body: Body::CodecOrNone,
    batch: Presence::Barred,
    headers: HeaderRule::LastWins,
    header_form: HeaderForm::HttpField,
    ..Capabilities::payload(SinkKind::Http, &[ModeRule::plain(ModeForm::Ack)])
};
