//! `TO HTTP c METHOD e PATH e` (emitters.txt "HTTP request configuration", rulings section 7).

use nspl_model::{ClientKind, HttpSinkDef};
use nspl_syntax::sink::http::HttpSink;

use super::{Resolver, SinkSite};

impl Resolver<'_> {
    pub(super) fn http_sink(&mut self, tree: &HttpSink, site: SinkSite<'_>) -> Option<HttpSinkDef> {
        let client = self.client(&tree.client, ClientKind::Http);
        let env = site.route.finished();
        let method = self.external_text(&env, &tree.method, "METHOD");
        let path = self.external_text(&env, &tree.path, "PATH");
        Some(HttpSinkDef {
            client: client?,
            method: method?.expr,
            path: path?.expr,
        })
    }
}
