//! Publishing modes of emitters (emitters.txt "Publishing modes", companion section 7).

use std::fmt;
use std::time::Duration;

use crate::DurationText;

/// The complete MODE clause of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mode {
    /// Which of the written forms it is.
    pub form: ModeForm,
    /// What has to happen before a record counts as delivered.
    pub confirmation: Confirmation,
    /// How infrastructure failures are paced, on the physical clock.
    pub retry: RetryPolicy,
}

/// The words between MODE and RETRY POLICY.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModeForm {
    /// `NO_ACK`.
    NoAck,
    /// `ACK`, with or without a window.
    Ack,
    /// `QOS 0`.
    Qos0,
    /// `QOS 1 ACK`.
    Qos1,
    /// `QOS 2 ACK`.
    Qos2,
    /// `JETSTREAM ACK`.
    JetStream,
    /// `SINGLE`: one request per message.
    Single,
    /// `BATCH`: several messages per request.
    Batch,
}

/// What has to happen before a record counts as delivered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Confirmation {
    /// Nothing beyond the client's own acceptance.
    None,
    /// An answer for each payload.
    Acked {
        /// How many payloads may await their answer.
        window: Window,
        /// ACK TIMEOUT, physical; `None` where the client's request timeout bounds the answer.
        timeout: Option<Duration>,
    },
}

/// How many payloads (batches of CLIENT) may await confirmation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Window {
    /// One after the other.
    Sequential,
    /// At most so many, at least 1.
    Parallel(u32),
}

/// `RETRY POLICY BACKOFF d MAX d`: doubles from `backoff` up to `max`; `backoff <= max`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetryPolicy {
    /// The first wait.
    pub backoff: Duration,
    /// The longest wait.
    pub max: Duration,
}

impl Window {
    /// The number of payloads that may await confirmation.
    pub fn size(self) -> u32 {
        match self {
            Window::Sequential => 1,
            Window::Parallel(size) => size,
        }
    }
}

impl ModeForm {
    /// The written words.
    pub fn words(self) -> &'static str {
        match self {
            ModeForm::NoAck => "NO_ACK",
            ModeForm::Ack => "ACK",
            ModeForm::Qos0 => "QOS 0",
            ModeForm::Qos1 => "QOS 1 ACK",
            ModeForm::Qos2 => "QOS 2 ACK",
            ModeForm::JetStream => "JETSTREAM ACK",
            ModeForm::Single => "SINGLE",
            ModeForm::Batch => "BATCH",
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::Sequential => f.write_str("SEQUENTIAL"),
            Window::Parallel(size) => write!(f, "PARALLEL MAX {size}"),
        }
    }
}

impl fmt::Display for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "RETRY POLICY BACKOFF {} MAX {}",
            DurationText(self.backoff),
            DurationText(self.max)
        )
    }
}

/// The clause without the word MODE, as DESCRIBE EMITTER shows it.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.form.words())?;
        if let Confirmation::Acked {
            window,
            timeout: Some(timeout),
        } = &self.confirmation
        {
            write!(f, " {window} ACK TIMEOUT {}", DurationText(*timeout))?;
        }
        write!(f, " {}", self.retry)
    }
}
