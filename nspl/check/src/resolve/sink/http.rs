//! `TO HTTP c METHOD e PATH e` (emitters.txt "HTTP request configuration", rulings section 7).

use nspl_model::http::{Origin, is_bodiless, method_fault};
use nspl_model::{ClientDef, ClientKind, ConfigValue, Content, EntityKey, EntityKind, Expr, HttpSinkDef};
use nspl_syntax::Name;
use nspl_syntax::expression as tree;
use nspl_syntax::sink::http::HttpSink;

use super::{Resolver, SinkSite};
use crate::rules;

/// The longest `timeout_ms`: durations of the language go up to 365 days (rulings section 2).
const TIMEOUT_MS_MAX: u64 = 365 * 24 * 60 * 60 * 1000;

/// Stands for the client's origin where a fault hides it: what a path may be does not depend on the host.
const ANY_ORIGIN: &str = "http://localhost";

/// Whether METHOD is written as one whose requests have no body.
pub(super) fn is_written_bodiless(tree: &HttpSink) -> bool {
    matches!(&tree.method.kind, tree::ExprKind::Text(method) if is_bodiless(method))
}

impl Resolver<'_> {
    pub(super) fn http_sink(&mut self, tree: &HttpSink, site: SinkSite<'_>) -> Option<HttpSinkDef> {
        let client = self.client(&tree.client, ClientKind::Http);
        if let Some(client) = &client {
            self.client_timeout(&tree.client, client);
        }
        let endpoint = client.as_ref().and_then(|client| client.text("endpoint"));
        let method = self.method(&tree.method, site);
        let path = self.request_path(&tree.path, endpoint.unwrap_or(ANY_ORIGIN), site);
        Some(HttpSinkDef {
            client: client?,
            method: method?,
            path: path?,
        })
    }

    fn method(&mut self, tree: &tree::Expr, site: SinkSite<'_>) -> Option<Expr> {
        let typed = self.external_text(&site.route.finished(), tree, "METHOD")?;
        let method = typed.text().unwrap_or_default();
        if let Some(why) = typed.text().and_then(method_fault) {
            self.faults.push(rules::http_method::fault(typed.span, why));
        } else if is_bodiless(method) && matches!(site.body.content, Some(Content::Encoded(_))) {
            self.faults.push(rules::http_method::bodiless(typed.span));
        }
        Some(typed.expr)
    }

    fn request_path(&mut self, tree: &tree::Expr, endpoint: &str, site: SinkSite<'_>) -> Option<Expr> {
        let typed = self.external_text(&site.route.finished(), tree, "PATH")?;
        let origin = Origin::read(endpoint).ok();
        if let Some((origin, path)) = origin.zip(typed.text())
            && let Err(fault) = origin.target(path)
        {
            self.faults.push(rules::http_path::fault(typed.span, fault));
        }
        Some(typed.expr)
    }

    /// The client bounds each attempt.
    fn client_timeout(&mut self, name: &Name, client: &ClientDef) {
        let schedulable = match client.value("timeout_ms") {
            Some(ConfigValue::Number(number)) => number
                .parse::<u64>()
                .is_ok_and(|number| (1..=TIMEOUT_MS_MAX).contains(&number)),
            _ => false,
        };
        if !schedulable {
            let key = EntityKey::new(EntityKind::Client, client.name.as_str());
            let defined = self.world.statement(&key);
            let written = client.value("timeout_ms").is_some();
            self.faults
                .push(rules::http_timeout::fault(name.span, client, written, defined));
        }
    }
}
