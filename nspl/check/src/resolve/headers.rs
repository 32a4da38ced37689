//! INVOKE of emitters: header writes (emitters.txt "Header invocations").

use nspl_model::{HeaderRule, HeaderWrite};
use nspl_syntax::expression::Call;

use super::Resolver;
use super::sink::SinkSite;
use crate::rules;

impl Resolver<'_> {
    /// In written order; each reads the finished record.
    pub(super) fn headers(&mut self, calls: &[Call], site: SinkSite<'_>) -> Option<Vec<HeaderWrite>> {
        if site.capabilities.headers == HeaderRule::Refused {
            let faults = calls
                .iter()
                .map(|call| rules::invoke::fault(call.span, site.capabilities));
            self.faults.extend(faults);
            return calls.is_empty().then(Vec::new);
        }
        let writes: Vec<Option<HeaderWrite>> = calls.iter().map(|call| self.header(call, site)).collect();
        writes.into_iter().collect()
    }

    fn header(&mut self, call: &Call, site: SinkSite<'_>) -> Option<HeaderWrite> {
        if call.function.text != "write_header" {
            self.faults.push(rules::header_call::other(&call.function));
            return None;
        }
        let [name, value] = call.arguments.as_slice() else {
            self.faults
                .push(rules::header_call::arguments(call.span, call.arguments.len()));
            return None;
        };
        let env = site.route.finished();
        let name = self.external_text(&env, name, "a header's name");
        let value = self.external_text(&env, value, "a header's value");
        Some(HeaderWrite {
            name: name?.expr,
            value: value?.expr,
        })
    }
}
