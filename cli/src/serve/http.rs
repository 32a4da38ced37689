//! The HTTP server of a process: `/metrics` in Prometheus' text form, `/livez`, `/readyz`.
//!
//! `/livez` is 200 while the process runs; `/readyz` is 200 while it serves what it was started for, and 503 with the
//! reason otherwise: before, during a drain, and while the disk fails. It takes GET and HEAD and reads no body.
//!
//! Invariant: so many connections are open at a time, and the oldest is closed for the newest: what is asked here is
//! answered at once, so that an old connection is idle or silent, and no number of those keeps a probe out.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::StreamExt;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use nervix_clock::PhysicalClock;
use nervix_listener::{Connections, Protocol, Terms};
use tokio::{
    net::TcpListener,
    task::{AbortHandle, JoinSet},
};

/// Connections at a time.
const CONNECTIONS_MAX: usize = 64;
/// How long a request's head may take.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// The last line of a text in the OpenMetrics form, which Prometheus' own form does not have.
const METRICS_END: &str = "# EOF\n";

/// What the pages show.
pub(super) trait Pages: Send + Sync + 'static {
    /// The metric families of this process, one text a part of it.
    fn metrics(&self) -> Vec<String>;
    /// Why this process does not serve what it was started for, on one line; nothing while it does.
    fn unready(&self) -> Option<String>;
}

/// Serves until it is dropped.
pub(super) async fn serve(listener: TcpListener, pages: Arc<dyn Pages>) {
    let terms = Terms {
        title: "metrics and health",
        connections_max: CONNECTIONS_MAX,
        protocol: Protocol::Http1,
    };
    let mut accepted = Connections::new(listener, terms, PhysicalClock::system());
    let mut connections = JoinSet::new();
    let mut oldest_first: VecDeque<AbortHandle> = VecDeque::new();
    while let Some(Ok(stream)) = accepted.next().await {
        while connections.try_join_next().is_some() {}
        oldest_first.retain(|connection| !connection.is_finished());
        let pages = Arc::clone(&pages);
        let connection = connections.spawn(async move {
            let answer = service_fn(move |request| {
                let response = respond(&request, pages.as_ref());
                async move { Ok::<_, Infallible>(response) }
            });
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
            if let Err(error) = server.serve_connection(TokioIo::new(stream), answer).await {
                tracing::debug!(%error, "HTTP connection ended");
            }
        });
        oldest_first.push_back(connection);
        // There is room before the next one comes: the listener would turn it away.
        if connections.len() == CONNECTIONS_MAX
            && let Some(oldest) = oldest_first.pop_front()
        {
            oldest.abort();
            connections.join_next().await;
        }
    }
}

fn respond(request: &Request<Incoming>, pages: &dyn Pages) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return page(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n".to_owned());
    }
    match request.uri().path() {
        "/livez" => page(StatusCode::OK, "alive\n".to_owned()),
        "/readyz" => match pages.unready() {
            None => page(StatusCode::OK, "ready\n".to_owned()),
            Some(reason) => page(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
        },
        "/metrics" => {
            let mut response = page(StatusCode::OK, one_page(&pages.metrics()));
            response.headers_mut().insert(
                header::CONTENT_TYPE,
                header::HeaderValue::from_static(METRICS_TYPE),
            );
            response
        }
        _ => page(
            StatusCode::NOT_FOUND,
            "there are /metrics, /livez and /readyz\n".to_owned(),
        ),
    }
}

fn page(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let kind = header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// The parts' families one after another.
fn one_page(parts: &[String]) -> String {
    parts
        .iter()
        .map(|part| part.strip_suffix(METRICS_END).unwrap_or(part))
        .collect()
}

#[cfg(test)]
mod tests;
