//! `TO SQS c QUEUE q [FIFO GROUP ...]` (emitters.txt "SQS", rulings section 7).

use nspl_model::{ClientKind, OrderingGroup, SqsSinkDef, sqs};
use nspl_syntax::Span;
use nspl_syntax::expression::Expr;
use nspl_syntax::sink::sqs::{FifoGroup, FifoGroupKind, SqsSink};

use super::{Resolver, SinkSite};
use crate::expression::{Environment, NO_STATES, Output, Place};
use crate::rules;

impl Resolver<'_> {
    pub(super) fn sqs_sink(&mut self, tree: &SqsSink, site: SinkSite<'_>) -> Option<SqsSinkDef> {
        let client = self.client(&tree.client, ClientKind::Sqs);
        let queue = self.external_name(&tree.queue, "QUEUE", sqs::queue_fault);
        let group = match (&tree.group, tree.queue.text.ends_with(sqs::FIFO_SUFFIX)) {
            (None, false) => Some(None),
            (Some(group), true) => self.group(group, site).map(Some),
            (None, true) => {
                self.faults.push(rules::fifo_group::missing(tree.queue.span));
                None
            }
            (Some(group), false) => {
                self.faults
                    .push(rules::fifo_group::barred(group.span, tree.queue.span));
                None
            }
        };
        Some(SqsSinkDef {
            client: client?,
            queue: queue?,
            group: group?,
        })
    }

    fn group(&mut self, tree: &FifoGroup, site: SinkSite<'_>) -> Option<OrderingGroup> {
        match &tree.kind {
            FifoGroupKind::Branch => self.branch_group(tree.span, site),
            FifoGroupKind::Expression(expression) => self.group_expression(expression, site),
        }
    }

    fn branch_group(&mut self, place: Span, site: SinkSite<'_>) -> Option<OrderingGroup> {
        match site.sources.iter().find(|relay| relay.branch.is_none()) {
            None => Some(OrderingGroup::Branch),
            Some(relay) => {
                self.faults.push(rules::fifo_branch::fault(place, relay));
                None
            }
        }
    }

    fn group_expression(&mut self, tree: &Expr, site: SinkSite<'_>) -> Option<OrderingGroup> {
        let env = Environment {
            place: Place::OrderingGroup,
            input: site.route.input,
            output: Output::None,
            states: Some(NO_STATES),
            partial_output: Output::None,
            error: None,
        };
        let typed = self.external_text(&env, tree, "FIFO GROUP")?;
        if let Some(why) = typed.text().and_then(sqs::group_fault) {
            self.faults.push(rules::fifo_group_text::fault(typed.span, why));
            return None;
        }
        Some(OrderingGroup::Expression(typed.expr))
    }
}
