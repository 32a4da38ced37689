//! The modes that a kind passes the conformance suite in: each of its forms, in each of the windows that the form takes.

use std::time::Duration;

use nspl_model::{Confirmation, Mode, ModeForm, ModeRule, Presence, RetryPolicy, SinkKind, Window};

/// How many payloads await confirmation under PARALLEL.
const PARALLEL_MAX: u32 = 100;

/// A mode that a kind is tried in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriedMode {
    rule: ModeRule,
    window: Window,
}

impl TriedMode {
    /// All modes of a kind.
    pub fn all(kind: SinkKind) -> Vec<Self> {
        let of_rule = |rule: &ModeRule| {
            let mut windows = vec![Window::Sequential];
            windows.extend(rule.windowed.then_some(Window::Parallel(PARALLEL_MAX)));
            let rule = *rule;
            windows.into_iter().map(move |window| Self { rule, window })
        };
        kind.capabilities().modes.iter().flat_map(of_rule).collect()
    }

    /// The mode of a kind by its word.
    ///
    /// # Panics
    /// When the kind has none of this word.
    pub fn named(kind: SinkKind, word: &str) -> Self {
        let found = Self::all(kind).into_iter().find(|mode| mode.word() == word);
        found.unwrap_or_else(|| panic!("{kind} has no mode {word}"))
    }

    /// Its words in lower case, as the name of a module: `no_ack`, `ack`, `ack_sequential`, `qos_1_ack_parallel`.
    pub fn word(self) -> String {
        let form = self.rule.form.words().to_lowercase().replace(' ', "_");
        match self.window {
            _ if !self.rule.windowed => form,
            Window::Sequential => form + "_sequential",
            Window::Parallel(_) => form + "_parallel",
        }
    }

    /// Whether a record counts only when the destination has answered for it.
    pub fn confirms(self) -> bool {
        !matches!(self.rule.form, ModeForm::NoAck | ModeForm::Qos0)
    }

    /// The clause, with this ACK TIMEOUT where the form takes one.
    pub fn clause(self, ack_timeout: Duration, retry: RetryPolicy) -> Mode {
        let confirmation = match self.confirms() {
            false => Confirmation::None,
            true => Confirmation::Acked {
                window: self.window,
                timeout: (self.rule.timeout == Presence::Required).then_some(ack_timeout),
            },
        };
        Mode {
            form: self.rule.form,
            confirmation,
            retry,
        }
    }
}

#[cfg(test)]
mod tests {
    use nspl_model::SinkKind;

    use super::TriedMode;

    #[test]
    fn every_form_is_tried_in_every_window_that_it_takes() {
        let words = |kind| {
            TriedMode::all(kind)
                .into_iter()
                .map(TriedMode::word)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(SinkKind::Http), ["ack"]);
        assert_eq!(
            words(SinkKind::Kafka),
            ["no_ack", "ack_sequential", "ack_parallel"]
        );
        assert!(words(SinkKind::Mqtt).contains(&"qos_1_ack_parallel".to_owned()));
    }
}
