//! INVOKE of emitters: header writes (emitters.txt "Header invocations").

use nspl_model::{HeaderRule, HeaderTally, HeaderWrite};
use nspl_syntax::expression::Call;

use super::Resolver;
use super::sink::SinkSite;
use crate::expression::Typed;
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
        let mut tally = Some(HeaderTally::new(site.capabilities.header_form));
        let mut writes = Vec::new();
        for call in calls {
            writes.push(self.header(call, site, &mut tally));
        }
        writes.into_iter().collect()
    }

    fn header(
        &mut self,
        call: &Call,
        site: SinkSite<'_>,
        tally: &mut Option<HeaderTally>,
    ) -> Option<HeaderWrite> {
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
        let (name, value) = (name?, value?);
        self.constant_header(&name, &value, site);
        self.bounded(call, (&name, &value), tally);
        Some(HeaderWrite {
            name: name.expr,
            value: value.expr,
        })
    }

    /// What is refused of every record is refused at validation.
    fn constant_header(&mut self, name: &Typed, value: &Typed, site: SinkSite<'_>) {
        let form = site.capabilities.header_form;
        if let Some(why) = name.text().and_then(|name| form.name_fault(name)) {
            self.faults.push(rules::header_text::name(name.span, why));
        }
        if let Some(why) = value.text().and_then(|value| form.value_fault(value)) {
            self.faults.push(rules::header_text::value(value.span, why));
        }
    }

    /// Counts what is constant; the first write that no record could make is reported, and none after it.
    fn bounded(&mut self, call: &Call, write: (&Typed, &Typed), tally: &mut Option<HeaderTally>) {
        let Some(count) = tally else { return };
        let (name, value) = write;
        let Some(name) = name.text() else {
            count.write_unknown();
            return;
        };
        if let Err(overflow) = count.write(name, value.text().unwrap_or_default().len()) {
            self.faults
                .push(rules::header_bounds::fault(call.span, &overflow));
            *tally = None;
        }
    }
}
