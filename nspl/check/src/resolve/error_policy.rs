//! ON MESSAGE ERROR and ON GENERAL ERROR (companion section 6).

use std::sync::Arc;

use nspl_model::record_error::error_schema;
use nspl_model::{ErrorRoute, GeneralPolicy, MessagePolicy, RelayDef};
use nspl_syntax::error_policy as tree;

use super::Resolver;
use super::construction::Route;
use super::dependency::Branches;
use crate::expression::{Environment, Output, Place, Record};
use crate::rules;

impl Resolver<'_> {
    /// `sources` are the relays whose records can fail; none for an ingestor, whose errors are unbranched.
    pub(super) fn message_policy(
        &mut self,
        tree: &tree::MessagePolicy,
        route: Route<'_>,
        sources: &[Arc<RelayDef>],
    ) -> Option<MessagePolicy> {
        let (name, set) = match &tree.kind {
            tree::MessagePolicyKind::Ignore => return Some(MessagePolicy::Ignore),
            tree::MessagePolicyKind::Log => return Some(MessagePolicy::Log),
            tree::MessagePolicyKind::SendTo { relay, set } => (relay, set),
        };
        let relay = self.relay(name);
        let fits = match &relay {
            Some(relay) if self.owner.kind == nspl_model::EntityKind::Ingestor => {
                let unbranched = relay.branch.is_none();
                if !unbranched {
                    self.faults
                        .push(rules::branch_compatibility::of_ingestor(name.span, relay));
                }
                unbranched
            }
            Some(relay) => self.same_branch(name, relay, Branches::of(sources)),
            None => false,
        };
        let errors = error_schema();
        let errors = Record::of(&errors);
        let env = Environment {
            place: Place::ErrorRoute,
            input: route.input,
            output: Output::None,
            states: route.states,
            partial_output: route.attempted(),
            error: Some(&errors),
        };
        let schema = relay.as_ref().map(|relay| relay.schema.clone());
        let set = self.assignments((set, tree.span), &env, schema.as_deref(), "SET");
        let (relay, set) = (relay?, set?);
        fits.then_some(MessagePolicy::SendTo(ErrorRoute { relay, set }))
    }

    pub(super) fn general_policy(tree: &tree::GeneralPolicy) -> GeneralPolicy {
        match tree.kind {
            tree::GeneralPolicyKind::Ignore => GeneralPolicy::Ignore,
            tree::GeneralPolicyKind::Log => GeneralPolicy::Log,
        }
    }
}
