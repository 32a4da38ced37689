//! `TO CLIENT SCHEMA s`.

use nspl_model::{ClientSinkDef, Content};
use nspl_syntax::sink::client::ClientSink;

use super::{ResolvedBody, Resolver, SinkSite};

impl Resolver<'_> {
    pub(super) fn client_body(&mut self, tree: &ClientSink) -> ResolvedBody {
        ResolvedBody {
            output: self.schema(&tree.schema),
            content: Some(Content::Columns),
            ..ResolvedBody::default()
        }
    }

    pub(super) fn client_sink(site: SinkSite<'_>) -> Option<ClientSinkDef> {
        let schema = site.body.output.clone()?;
        Some(ClientSinkDef { schema })
    }
}
