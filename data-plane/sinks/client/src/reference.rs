//! Names of attempts, and what an application may write in an answer.
//!
//! Invariant: a ref is never given twice, not even by another run of the process: it is a random word of the exchange
//! and a number that only grows. What is malformed is refused as a whole, before any of it takes effect.

use thiserror::Error;

/// The most characters of a ref (`flight.md`, Metadata).
pub const REF_BYTES_MAX: usize = 64;
/// The most bytes of a reject's reason (`flight.md`, Metadata).
pub const REASON_BYTES_MAX: usize = 256;

/// Why an answer is refused without effect: INVALID_ARGUMENT. Each begins with the field that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MalformedAnswer {
    /// A ref that no server would have written.
    #[error("refs[{index}] is no ref: it is what `delivery.ref` said, 1 to {REF_BYTES_MAX} ASCII characters")]
    Ref {
        /// Its position in the message, from 0.
        index: usize,
    },
    /// A reason that is too long.
    #[error("reason has {bytes} bytes; at most {REASON_BYTES_MAX} are allowed")]
    LongReason {
        /// Its length.
        bytes: usize,
    },
    /// A reason with a byte that is not allowed.
    #[error("reason has a character outside [A-Za-z0-9_.:-] at byte {at}")]
    BadReason {
        /// Where.
        at: usize,
    },
}

/// Makes and reads the refs of one exchange.
#[derive(Debug)]
pub(crate) struct References {
    word: String,
    next: u64,
}

impl References {
    pub(crate) fn new(random: u64) -> Self {
        Self {
            word: format!("{random:016x}"),
            next: 1,
        }
    }

    /// The number of a new attempt.
    pub(crate) fn number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// The number that the next attempt will have.
    pub(crate) fn upcoming(&self) -> u64 {
        self.next
    }

    /// The ref of an attempt.
    pub(crate) fn name(&self, number: u64) -> String {
        format!("{}-{number:x}", self.word)
    }

    /// The number behind a ref; none when this exchange never gave it.
    pub(crate) fn read(&self, reference: &str) -> Option<u64> {
        let digits = reference.strip_prefix(&self.word)?.strip_prefix('-')?;
        let number = u64::from_str_radix(digits, 16).ok()?;
        (number < self.next && self.name(number) == reference).then_some(number)
    }
}

/// Checks the refs of one message.
pub(crate) fn check_refs(refs: &[String]) -> Result<(), MalformedAnswer> {
    let malformed = |text: &String| text.is_empty() || text.len() > REF_BYTES_MAX || !text.is_ascii();
    match refs.iter().position(malformed) {
        Some(index) => Err(MalformedAnswer::Ref { index }),
        None => Ok(()),
    }
}

/// Checks the reason of a reject.
pub(crate) fn check_reason(reason: &str) -> Result<(), MalformedAnswer> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    if reason.len() > REASON_BYTES_MAX {
        return Err(MalformedAnswer::LongReason { bytes: reason.len() });
    }
    match reason.bytes().position(|byte| !allowed(byte)) {
        Some(at) => Err(MalformedAnswer::BadReason { at }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{MalformedAnswer, References, check_reason, check_refs};

    #[test]
    fn a_ref_is_read_back_only_as_it_was_given() {
        let mut refs = References::new(0xab);
        let number = refs.number();
        let name = refs.name(number);
        assert_eq!(refs.read(&name), Some(number));
        assert_eq!(
            refs.read(&format!("{name}0")),
            None,
            "a number that was never given"
        );
        assert_eq!(refs.read(&name.to_uppercase()), None);
        assert_eq!(References::new(0xac).read(&name), None);
    }

    #[test]
    fn malformed_refs_and_reasons_are_named() {
        assert_eq!(check_refs(&["a blank".to_owned(), "\t".to_owned()]), Ok(()));
        let refs = ["ok".to_owned(), "x".repeat(65)];
        assert_eq!(check_refs(&refs), Err(MalformedAnswer::Ref { index: 1 }));
        assert_eq!(
            check_refs(&[String::new()]),
            Err(MalformedAnswer::Ref { index: 0 })
        );
        assert_eq!(
            check_refs(&["ä".to_owned()]),
            Err(MalformedAnswer::Ref { index: 0 })
        );
        assert_eq!(check_reason("bad-customer_1.2:x"), Ok(()));
        assert_eq!(
            check_reason("bad customer"),
            Err(MalformedAnswer::BadReason { at: 3 })
        );
        assert_eq!(
            check_reason(&"a".repeat(257)),
            Err(MalformedAnswer::LongReason { bytes: 257 })
        );
    }
}
