//! What a direct emitter builds: the fields that VALUES, and ATTRIBUTES of OTEL, map the source row to.

use std::sync::Arc;

use nspl_model::{Capabilities, Content};
use nspl_syntax::sink as tree;

use super::{ResolvedBody, Resolver};
use crate::expression::Environment;
use crate::resolve::mapping::Mapping;
use crate::rules;

impl Resolver<'_> {
    /// `row` reads the source row.
    pub(super) fn mapped_body(
        &mut self,
        tree: &tree::Sink,
        sink: &Capabilities,
        row: &Environment<'_>,
    ) -> ResolvedBody {
        let mut body = ResolvedBody {
            content: Some(Content::Mapped),
            ..ResolvedBody::default()
        };
        let mut mapping = Mapping::default();
        if let tree::SinkTarget::Otel(otel) = &tree.target {
            self.otel_entries(otel, tree.values.as_ref(), row, &mut mapping);
        } else if let Some(values) = &tree.values {
            self.columns(values, row, &mut mapping);
        }
        let Some(values) = &tree.values else {
            self.faults.push(rules::values_missing::fault(tree.span, sink));
            return body;
        };
        let filter = match &values.filter {
            Some(filter) => self.condition(row, filter, "WHERE").map(|typed| Some(typed.expr)),
            None => Some(None),
        };
        if let Some((schema, construction)) = filter.and_then(|filter| mapping.finish(filter)) {
            body.output = Some(Arc::new(schema));
            body.construction = Some(construction);
        }
        body
    }
}
