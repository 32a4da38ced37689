//! MODE of emitters, judged by the sink's capabilities.

use nspl_model::{Capabilities, Confirmation, Mode, ModeForm, Presence, RetryPolicy, Window};
use nspl_syntax::emitter::mode as tree;

use super::Resolver;
use crate::quantity::{duration, positive_u32};
use crate::rules;

/// ACK PARALLEL MAX goes up to this many payloads (rulings section 2).
const PARALLEL_MAX: u32 = 1_000_000;

impl Resolver<'_> {
    pub(super) fn mode(&mut self, tree: &tree::Mode, sink: &Capabilities) -> Option<Mode> {
        let retry = self.retry(&tree.retry);
        let timeout = match &tree.ack_timeout {
            Some(timeout) => duration(timeout, "ACK TIMEOUT", &mut self.faults).map(Some),
            None => Some(None),
        };
        let (form, window) = self.form(&tree.confirmation)?;
        let Some(rule) = sink.mode(form).filter(|rule| rule.windowed == window.is_some()) else {
            self.faults.push(rules::mode_form::fault(tree.span, sink));
            return None;
        };
        match (rule.timeout, &tree.ack_timeout) {
            (Presence::Required, None) => {
                self.faults.push(rules::ack_timeout::missing(tree.span, form));
                return None;
            }
            (Presence::Barred, Some(timeout)) => {
                self.faults
                    .push(rules::ack_timeout::barred(timeout.span, sink, form));
                return None;
            }
            _ => {}
        }
        let (window, retry, timeout) = (window.unwrap_or(Some(Window::Sequential))?, retry?, timeout?);
        let confirmation = match form {
            ModeForm::NoAck | ModeForm::Qos0 => Confirmation::None,
            _ => Confirmation::Acked { window, timeout },
        };
        Some(Mode {
            form,
            confirmation,
            retry,
        })
    }

    /// The written form, and its window where it has one: `Some(None)` when that is out of range.
    fn form(&mut self, tree: &tree::Confirmation) -> Option<(ModeForm, Option<Option<Window>>)> {
        let mut window = |tree: &tree::Window| self.window(tree);
        Some(match tree {
            tree::Confirmation::NoAck => (ModeForm::NoAck, None),
            tree::Confirmation::Ack(bound) => (ModeForm::Ack, bound.as_ref().map(window)),
            tree::Confirmation::JetStream(bound) => (ModeForm::JetStream, Some(window(bound))),
            tree::Confirmation::Single => (ModeForm::Single, None),
            tree::Confirmation::Batch => (ModeForm::Batch, None),
            tree::Confirmation::Qos { level, window: bound } => {
                let form = match level.value() {
                    Some(0) => ModeForm::Qos0,
                    Some(1) => ModeForm::Qos1,
                    Some(2) => ModeForm::Qos2,
                    _ => {
                        self.faults.push(rules::range::qos(level.span, &level.digits));
                        return None;
                    }
                };
                (form, bound.as_ref().map(|bound| self.window(bound)))
            }
        })
    }

    pub(super) fn window(&mut self, tree: &tree::Window) -> Option<Window> {
        match tree {
            tree::Window::Sequential => Some(Window::Sequential),
            tree::Window::Parallel { max } => {
                positive_u32(max, "ACK PARALLEL MAX", PARALLEL_MAX, &mut self.faults).map(Window::Parallel)
            }
        }
    }

    fn retry(&mut self, tree: &tree::Retry) -> Option<RetryPolicy> {
        let backoff = duration(&tree.backoff, "BACKOFF", &mut self.faults);
        let max = duration(&tree.max, "MAX of RETRY POLICY", &mut self.faults);
        let (backoff, max) = (backoff?, max?);
        if backoff > max {
            self.faults.push(rules::backoff::fault(tree, backoff, max));
            return None;
        }
        Some(RetryPolicy { backoff, max })
    }
}
